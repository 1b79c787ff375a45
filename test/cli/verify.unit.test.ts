import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { ConformanceReport } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { parseXml } from '../package/support/xml.ts'
import { type Finished, finish, runCommandLine, serve as serveCommand } from '../support/command-line.ts'
import { listen, variedAssumptions } from '../support/conformance.ts'
import { openFolder } from '../support/folder.ts'
import { useServers } from '../support/start.ts'
import { type Behaviour, serveWrong, wrongService } from '../support/wrong-service.ts'

const folder = await openFolder()

const { closers } = useServers()
const closedAfter = <T extends { readonly close: () => Promise<void> }>(server: T): T => {
  closers.push(server.close)
  return server
}
const serve = async (args: readonly string[] = []) => closedAfter(await serveCommand(args))
const serveService = async (...behaviours: Behaviour[]) => closedAfter(await serveWrong(wrongService(behaviours)))

const tokens = ['--token', 'secret-of-alice', '--other-token', 'secret-of-bob']
const verify = (url: string, ...args: string[]): Promise<Finished> => finish(['verify', url, ...tokens, ...args])
const withoutAnnouncement = (error: string): string => error.replace(/^Creates up to .*\n/, '')
const reportOf = ({ out }: Finished): ConformanceReport => JSON.parse(out) as ConformanceReport

describe('plant-mock verify', () => {
  it('reports that every rule is kept and which values were found, and exits with 0', async () => {
    const { url } = await serve(['--fixtures', 'empty'])
    const { code, out, error } = await verify(url)
    expect([code, error]).toEqual([
      0,
      `Creates up to 125 plants at ${new URL(url).host}, with a name or tag that starts with "plant-mock check" and ids from 1900000000 to 2147483647. --read-only creates none.\n`,
    ])
    expect(out).toMatch(new RegExp(`^${url} keeps the contract, as far as it was checked\\.\n`))
    expect(out).toMatch(
      new RegExp(
        `\nRules: \\d+ kept, 0 broken, 0 skipped\\. Assumptions: ${variedAssumptions.length - 2} agree, 0 differ, 3 unseen\\. \\d+ requests, \\d+ plants created\\.\n\nNot checked\n {2}create\\.missingTag: create\\.required=name\\+id\\+tag hides it\n {2}create\\.idRange: the check creates only ids of the range that it announces\n {2}auth\\.unknownStatus: auth\\.tokens=any hides it\n\nCreated`,
      ),
    )
    expect(out.trimEnd().split('\n').length).toBeLessThan(15)
  })

  it('says what it does while its output is not a terminal', async () => {
    const { url } = await serve(['--fixtures', 'empty'])
    const texts: string[] = []
    let isOver = false
    const whileWaiting = (text: () => string) => {
      texts.push(text())
      return () => {
        texts.push(text())
        isOver = true
      }
    }
    await finish(['verify', url, ...tokens, '--read-only'], { whileWaiting })
    expect(texts).toEqual(['Sending the first requests', expect.stringMatching(/^\d+ of \d+ {2}\w+/)])
    expect(isOver).toBe(true)
  })

  it('reports the reason for a broken rule and how to reproduce it, and exits with 1', async () => {
    const { url } = await serveService('a create returns the id')
    const { code, out } = await verify(url, '--verbose')
    expect(code).toBe(1)
    expect(out).toMatch(/\n\nKept\n {2}list\.succeeds: /)
    expect(out).toMatch(/\n\nAs assumed\n(?: {2}.*\n)* {2}create\.status: 201 \(contract 4\.1\)\n/)
    expect(out).toMatch(
      /^http\S+ breaks 1 rule of the contract\.\n.*\n\nBroken\n {2}create\.shape: .*\(contract 2\.1, 4\.1\)\n {4}id is not a field of a plant: \{"id":\d+.*\n {4}Repeat {2}curl -i -X POST -H "Authorization: Bearer \$TOKEN" .*\/plants'\n/,
    )
    expect(out).toMatch(/ 1 broken, 0 skipped\./)
  })

  it('reports differences from the assumptions, which are not failures', async () => {
    const { url } = await serve(['--fixtures', 'garden', '--assume', 'error.invalidStatus=422'])
    const { code, out } = await verify(url, '--read-only', '--assume', 'list.zeroLimit=reject')
    expect(code).toBe(0)
    expect(out).toContain('  error.invalidStatus: 422 (Unprocessable Content), from a bad limit alone; assumed 400')
    expect(out).toMatch(/\n {2}list\.zeroLimit: empty \(.*\); assumed reject/)
  })

  it('reads tokens from the environment', async () => {
    const seen = new Set<string | undefined>()
    const service = closedAfter(
      await listen((req, res) => {
        seen.add(req.headers.authorization)
        req.resume()
        res.writeHead(500).end()
      }),
    )
    const env = { PLANT_MOCK_TOKEN: 'token-1', PLANT_MOCK_OTHER_TOKEN: 'token-2' }
    const { code } = await finish(['verify', service.url], { env })
    expect(code).toBe(3)
    expect(seen).toContain('Bearer token-1')
  })

  it('sends the given headers with every request', async () => {
    const service = wrongService()
    const headers: IncomingHttpHeaders[] = []
    const { url } = closedAfter(
      await listen((req, res) => {
        headers.push(req.headers)
        req.resume()
        service('http://x/plants', { method: 'GET', headers: { authorization: 'Bearer any' } }).then(({ status }) =>
          res.writeHead(status).end(),
        )
      }),
    )
    await verify(url, '--header', 'X-Team: frontend', '--header', 'X-Trace:a:b')
    expect(headers.length).toBeGreaterThan(10)
    for (const sent of headers) expect(sent).toMatchObject({ 'x-team': 'frontend', 'x-trace': 'a:b' })
  })

  it('creates nothing with --read-only', async () => {
    const service = wrongService(['wrong types are accepted'])
    const { url } = closedAfter(await serveWrong(service))
    const { code, out } = await verify(url, '--read-only')
    expect([code, service.accepted]).toEqual([0, []])
    expect(out).toMatch(/\n {2}create\.succeeds, .* and \d+ more: it creates plants, and the check is read-only\n/)
    expect(out).toMatch(/, 0 plants created\.\n/)
  })
})

describe('--reporter', () => {
  it('json prints the report of checkConformance', async () => {
    const { url } = await serveService('lists are declared as HTML')
    const { code, out, error } = await verify(url, '--reporter', 'json', '--read-only')
    expect([code, withoutAnnouncement(error)]).toEqual([1, ''])
    const report = JSON.parse(out) as ConformanceReport
    expect(report).toMatchObject({ baseUrl: url, conforms: false })
    expect(report.rules.filter(({ outcome }) => outcome === 'failed')).toEqual([
      {
        id: 'list.json',
        section: '1',
        statement: expect.any(String),
        outcome: 'failed',
        reason: 'Content-Type is text/html',
        curl: `curl -i -H "Authorization: Bearer $TOKEN" '${url}/plants?limit=1'`,
      },
    ])
    expect(report.assumptions.map(({ id }) => id)).toEqual(
      expect.arrayContaining(variedAssumptions.map(({ id }) => id).filter((id) => id !== 'delete.missingStatus')),
    )
  })

  it('junit prints well-formed XML, with a case for each rule and assumption', async () => {
    const { url } = await serveService('a list is an object')
    const [{ code, out }, json] = [
      await verify(url, '--reporter', 'junit', '--read-only'),
      reportOf(await verify(url, '--reporter', 'json', '--read-only')),
    ]
    expect(code).toBe(1)
    const elements = parseXml(out)
    const named = (name: string) => elements.filter((element) => element.name === name)
    const [root, ...suites] = elements.filter(({ name }) => name.startsWith('testsuite'))
    expect(root?.attributes).toMatchObject({
      tests: String(json.rules.length + json.assumptions.length),
      failures: '1',
    })
    expect(suites.map(({ attributes }) => attributes.name)).toEqual(['plant-mock verify'])
    expect(named('testcase')).toHaveLength(json.rules.length + json.assumptions.length)
    expect(named('failure').map(({ attributes }) => attributes.message)).toEqual([
      expect.stringMatching(/^Broken: .*The body is not an array: \{"plants":\[\]\}$/),
    ])
    const skipped = [...json.rules, ...json.assumptions].filter(
      ({ outcome }) => outcome === 'skipped' || outcome === 'unseen',
    )
    expect(named('skipped')).toHaveLength(skipped.length)
  })

  it('junit is well-formed whatever the service sends', async () => {
    const nasty = '\u0000\u0008\u001B[31m<b a="]]>&amp;\'\uFFFE\uFFFF\uD83C\uDF35'
    const { url } = closedAfter(
      await listen((req, res) => {
        req.resume()
        if (req.method === 'GET') res.writeHead(200, { 'content-type': 'application/json' }).end('[]')
        else res.writeHead(500, { 'content-type': 'text/"<&>' }).end(nasty)
      }),
    )
    const { out } = await verify(url, '--reporter', 'junit')
    const [failure] = parseXml(out).filter(({ name }) => name === 'failure')
    expect(failure?.attributes.message).toContain('<b a="]]>&amp;\'')
  })
})

describe('--learn', () => {
  const learned = async (file: string) =>
    JSON.parse(await readFile(file, 'utf8')) as {
      assumptions: Record<string, { value: unknown; observed: { host: string; date: string } }>
    }

  it('writes the values found; a mock that starts with them shows no difference', async () => {
    const home = await mkdtemp(join(folder, 'learn-'))
    const file = join(home, 'learned.json')
    const assume = variedAssumptions
      .filter(({ id, alternatives }) => id !== 'auth.tokens' && id !== 'rate.limit' && alternatives.length > 0)
      .flatMap(({ id, alternatives: [value] }) => ['--assume', `${id}=${value}`])
    const first = await serve(['--fixtures', 'garden', ...assume])
    const check = await verify(first.url, '--learn', file, '--reporter', 'json')
    expect([check.code, withoutAnnouncement(check.error)]).toEqual([
      0,
      expect.stringMatching(/^Wrote \d+ observed values to .*learned\.json/),
    ])
    expect(await readdir(home)).toEqual(['learned.json'])

    const observed = { host: new URL(first.url).host, date: new Date().toISOString().slice(0, 10) }
    expect((await learned(file)).assumptions).toEqual(
      Object.fromEntries(
        reportOf(check).assumptions.map((result) => [
          result.id,
          result.outcome === 'unseen'
            ? { unseen: result.reason }
            : { value: result.found, observed, ...('upTo' in result && { upTo: result.upTo }) },
        ]),
      ),
    )

    const second = await serve(['--fixtures', 'garden', '--assumptions', file])
    const again = await verify(second.url, '--assumptions', file, '--reporter', 'json')
    expect(again.code).toBe(0)
    const differing = reportOf(again).assumptions.filter(({ outcome }) => ['differs', 'other'].includes(outcome))
    expect(differing).toEqual([])

    const { out } = await finish(['assumptions', '--assumptions', file])
    expect(out.replaceAll(/\n +\(/g, '  (')).toContain(
      `create.status = 200  (learned at ${observed.host} on ${observed.date};`,
    )
  })

  it('writes behaviour that is no value in words, and the reason for what was not seen', async () => {
    const file = join(folder, 'sure.json')
    const plants = ['Aloe', 'Fern', 'Ivy'].map((name) => ({ name, tag: 'indoor' }))
    const { url } = closedAfter(await serveWrong(wrongService(['a negative limit returns nothing'], plants)))
    await verify(url, '--learn', file, '--read-only')
    const { assumptions } = await learned(file)
    expect(assumptions).toMatchObject({
      'list.status': { value: 200, observed: { host: new URL(url).host } },
      'list.invalidLimit': { other: expect.stringContaining('limit=-1: 200 with 0 plants') },
      'create.status': { unseen: 'it creates plants, and the check is read-only' },
    })
    expect((await finish(['assumptions', '--assumptions', file])).code).toBe(0)
  })

  it('leaves the file as it is when the service is as it was', async () => {
    const file = join(folder, 'again.json')
    const { url } = await serveService()
    await verify(url, '--learn', file, '--read-only')
    const old = (await readFile(file, 'utf8')).replace(/"date": "[^"]+"/g, '"date": "2026-01-01"')
    const { assumptions } = JSON.parse(old) as { assumptions: object }
    const reversed = { assumptions: Object.fromEntries(Object.entries(assumptions).reverse()), $schema: 'own.json' }
    const text = `${JSON.stringify(reversed, null, 2)}\n`
    await writeFile(file, text)
    await chmod(file, 0o600)
    await verify(url, '--learn', file, '--read-only')
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual([text, 0o600])
  })

  it.each<readonly [what: string, file: () => string, reason: RegExp]>([
    ['a file in a missing folder', () => join(folder, 'nowhere/learned.json'), /folder/],
    ['a file that ends with a slash', () => join(folder, 'new-folder/'), /folder/],
    ['an empty name', () => '', /--learn/],
    ['a pipe', () => join(folder, 'pipe'), /--learn/],
    ...(process.platform === 'linux'
      ? [['a folder of the system', () => '/proc/learned.json', /--learn/] as const]
      : []),
  ])('is refused for %s, before any request', async (what, file, reason) => {
    if (what === 'a pipe') execFileSync('mkfifo', [file()])
    const service = await serveService()
    const { code, out, error } = await verify(service.url, '--learn', file())
    expect([code, out, service.requests]).toEqual([2, '', 0])
    expect(error).toMatch(/^plant-mock: [^\n]*--learn[^\n]+\n$/)
    expect(error).toMatch(reason)
  })

  it('keeps the previous file when the check is stopped', async () => {
    const home = await mkdtemp(join(folder, 'stopped-'))
    const file = join(home, 'learned.json')
    await writeFile(file, '{"assumptions":{}}')
    const { stop, finished } = runCommandLine(['verify', await hangingAfter(15), ...tokens, '--learn', file])
    await hanging
    stop('SIGINT')
    expect((await finished).code).toBe(130)
    expect([await readdir(home), await readFile(file, 'utf8')]).toEqual([['learned.json'], '{"assumptions":{}}'])
  })
})

describe('--expect', () => {
  const earlier = { 'error.limitStatus': 'same', 'list.zeroLimit': 'empty', 'list.invalidLimit': 'reject' }
  const fileWith = async (name: string, content: object): Promise<string> => {
    const file = join(folder, name)
    await writeFile(file, JSON.stringify(content))
    return file
  }

  it('prints what changed, with its section, and exits with 4', async () => {
    const file = await fileWith('expected.json', { assumptions: earlier })
    const { url } = await serve([
      '--fixtures',
      'garden',
      '--assume',
      'list.zeroLimit=reject',
      '--assume',
      'list.invalidLimit=ignore',
    ])
    const { code, out } = await verify(url, '--expect', file, '--read-only')
    expect(code).toBe(4)
    expect(out).toContain(
      '\nChanged\n  list.zeroLimit: was empty, is reject (contract 4.2)\n  list.invalidLimit: was reject, is ignore (contract 4.2)\n',
    )
  })

  it('fails for rules that are broken newly, not for those that --learn recorded', async () => {
    const file = join(folder, 'broken.json')
    const old = await serveService('lists are declared as HTML')
    expect((await verify(old.url, '--read-only', '--learn', file)).code).toBe(1)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ broken: ['list.json'] })
    const same = await verify(old.url, '--read-only', '--expect', file)
    expect([same.code, same.out]).toEqual([0, expect.stringContaining(' breaks 1 rule of the contract, as before.')])
    const other = await serveService('lists are declared as HTML', 'lists need no token')
    const worse = await verify(other.url, '--read-only', '--expect', file)
    expect([worse.code, worse.out]).toEqual([1, expect.stringMatching(/\n\nNewly broken\n {2}auth\.list: /)])
    const repaired = await verify((await serveService()).url, '--read-only', '--expect', file, '--learn', file)
    expect([repaired.code, repaired.out]).toEqual([4, expect.stringMatching(/\n\nRepaired\n {2}list\.json: /)])
    expect(JSON.parse(await readFile(file, 'utf8'))).not.toHaveProperty('broken')
  })

  it('refuses a file that has an unknown rule as broken', async () => {
    const file = join(folder, 'unknown-rule.json')
    await writeFile(file, '{"assumptions":{},"broken":["list.limits"]}')
    const { code, error } = await verify('http://127.0.0.1:9', '--expect', file)
    expect([code, error]).toEqual([
      2,
      expect.stringContaining('Unknown rule "list.limits". Did you mean "list.limit"?'),
    ])
  })

  it('reports changes as JSON', async () => {
    const file = await fileWith('expected-too.json', { assumptions: earlier })
    const { url } = await serve(['--fixtures', 'garden', '--assume', 'list.zeroLimit=reject'])
    const json = await verify(url, '--expect', file, '--reporter', 'json', '--read-only')
    expect(reportOf(json).changes).toEqual([
      { id: 'list.zeroLimit', section: '4.2', was: 'empty', is: 'reject', value: 'reject' },
    ])
    expect(json.code).toBe(4)
  })

  it('finds nothing when nothing changed, and exits with 0', async () => {
    const file = await fileWith('same.json', { assumptions: earlier })
    const { url } = await serve(['--fixtures', 'garden'])
    const { code, out } = await verify(url, '--expect', file, '--read-only')
    expect(code).toBe(0)
    expect(out).toContain(' No change was seen.\n')
  })

  it('refuses a file that does not exist, before any request', async () => {
    const service = await serveService()
    const { code, error } = await verify(service.url, '--expect', join(folder, 'none.json'))
    expect([code, service.requests]).toEqual([2, 0])
    expect(error).toMatch(/^plant-mock: The assumptions file .*none\.json does not exist\.\n$/)
  })
})

describe('a service that does not accept every plant', () => {
  const selective = async (accepts: (plant: { name: string; id: number; tag: string }) => boolean) => {
    const service = wrongService()
    return closedAfter(
      await serveWrong(async (url, init) => {
        const body = init.body === undefined ? '' : await new Response(init.body).text()
        const plant = /^\{.*"id":\d+.*\}$/.test(body) ? (JSON.parse(body) as Parameters<typeof accepts>[0]) : undefined
        const isRefused = plant !== undefined && !accepts(plant)
        return isRefused ? new Response('no such plant', { status: 400 }) : service(url, init)
      }),
    )
  }

  it('is checked with a plant and a first id in --plant', async () => {
    const { url } = await selective(({ id, tag }) => tag === 'indoor' && id >= 1000 && id < 11_000)
    const refused = await verify(url)
    expect([refused.code, refused.out]).toEqual([
      3,
      expect.stringMatching(/The check is incomplete: .* with --plant, optionally with a first id/),
    ])
    const { code, out } = await verify(url, '--plant', '{"tag":"indoor","id":1000}')
    expect([code, out]).toEqual([0, expect.stringContaining(' 0 broken, 0 skipped.')])
  })
})

let hanging: Promise<unknown>
const hangingAfter = async (responses: number): Promise<string> => {
  const service = wrongService(['lists are declared as HTML'])
  let count = 0
  let hang: (value: unknown) => void = () => undefined
  hanging = new Promise((resolve) => {
    hang = resolve
  })
  const { url } = closedAfter(
    await serveWrong(async (url, init) => {
      if (++count <= responses) return service(url, init)
      hang(undefined)
      return new Promise(() => undefined)
    }),
  )
  return url
}

describe('plant-mock verify, stopped', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('prints the results so far on %s, and exits with 130', async (signal) => {
    const { stop, finished } = runCommandLine(['verify', await hangingAfter(15), ...tokens])
    await hanging
    stop(signal)
    const { code, out, error } = await finished
    expect([code, withoutAnnouncement(error)]).toEqual([130, ''])
    expect(out).toMatch(/^http\S+ breaks 1 rule of the contract\.[\s\S]*\nBroken\n {2}list\.json: /)
    expect(out).not.toContain('robust.input')
  })

  it('exits with 130 and without a stack before any result', async () => {
    const { stop, finished } = runCommandLine(['verify', await hangingAfter(0), ...tokens])
    await hanging
    stop('SIGINT')
    const { code, out, error } = await finished
    expect([code, withoutAnnouncement(error)]).toEqual([130, ''])
    expect(out).toMatch(/^Nothing was checked at http\S+: it was stopped\.\n/)
  })
})

it('a service that nobody serves is reported in one line, with exit code 3', async () => {
  const { url, close } = await listen(() => undefined)
  await close()
  const { code, out, error } = await verify(url)
  expect([code, out]).toEqual([3, ''])
  expect(error).toMatch(/^plant-mock: http:\/\/127\.0\.0\.1:\d+ cannot be reached: [^\n]*ECONNREFUSED[^\n]*\.\n$/)
})

describe('plant-mock verify, misused', () => {
  it.each([
    [['verify'], /plant-mock verify URL/],
    [['verify', 'URL', 'more', '--token', 'a'], /"more"/],
    [['verify', 'URL'], /--token .*PLANT_MOCK_TOKEN/],
    [['verify', 'URL', '--token', 'a', '--token', 'b'], /--token .*--other-token/],
    [['verify', 'URL', '--token', 'a', '--header', 'X-Team'], /--header .*NAME:VALUE/],
    [['verify', 'URL', '--token', 'a', '--header', 'X Team: a'], /--header .*NAME:VALUE/],
    [['verify', 'URL', '--token', 'a', '--reporter', 'xml'], /--reporter .*text, json.* junit/],
    [['verify', 'URL', '--token', 'a', '--timeout', '0'], /--timeout .*seconds/],
  ])('%j is refused in one line with exit code 2, and nothing is sent', async (args, message) => {
    const service = await serveService()
    const { code, out, error } = await finish(args.map((arg) => arg.replace('URL', service.url)))
    expect([code, out, service.requests]).toEqual([2, '', 0])
    expect(error).toMatch(/^plant-mock: [^\n]+\n$/)
    expect(error).toMatch(message)
  })

  const withoutLoopback = (url: string) => url.replace('127.0.0.1', '0.0.0.0')

  it('sends nothing to a service on another machine without --yes', async () => {
    const service = await serveService()
    const { code, out, error } = await verify(withoutLoopback(service.url))
    expect([code, out, service.requests]).toEqual([2, '', 0])
    expect(error).toMatch(
      /^plant-mock: .*125 plants.*0\.0\.0\.0.*"plant-mock check.*1900000000.*2147483647.*--yes.*--read-only[^\n]*\n$/,
    )
  })

  it.each([['--yes'], ['--read-only']])('asks a service on another machine with %s', async (flag) => {
    const { url, close } = await listen(() => undefined)
    await close()
    expect((await verify(withoutLoopback(url), flag)).code).toBe(3)
  })

  it.each(['http://127.0.0.1', 'http://127.9.9.9', 'http://localhost', 'http://[::1]', 'http://a.localhost'])(
    'needs no --yes for %s, which is this machine',
    async (address) => {
      const { url, close } = await listen(() => undefined)
      await close()
      expect((await verify(`${address}:${new URL(url).port}`, '--timeout', '5')).code).toBe(3)
    },
  )
})

describe('a token', () => {
  const behaviours = ['lists are forbidden', 'creates redirect'] as const satisfies readonly Behaviour[]

  it.each(['text', 'json', 'junit'])('occurs neither in the output as %s nor in the learned file', async (reporter) => {
    const file = join(folder, `${reporter}.json`)
    const { url } = await serveService(...behaviours)
    const { code, out, error } = await verify(url, '--reporter', reporter, '--learn', file)
    expect(code).toBe(3)
    expect(out).toContain('$TOKEN may not list')
    for (const text of [out, error, await readFile(file, 'utf8')]) expect(text).not.toContain('secret-of')
  })

  it('is not in the message about an invalid token', async () => {
    const { error } = await finish(['verify', 'http://127.0.0.1:9', '--token', 'my secret'])
    expect(error).not.toContain('secret')
  })
})
