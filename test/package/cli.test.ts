import { once } from 'node:events'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assumptionRegistry, defaultAssumptions } from 'plant-mock'
import { garden } from 'plant-mock/fixtures'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { as, post } from '../support/targets.ts'
import { finish, run, serve, stopAll } from './support/cli.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(stopAll)

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const fixtureFile = async (name: string, plants: readonly object[]): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, JSON.stringify({ plants }))
  return path
}
const list = async (url: string, caller = 'alice', query = '') =>
  (await (await fetch(`${url}/plants${query}`, as(caller))).json()) as { name: string; tag: string }[]

describe('plant-mock', () => {
  it('says on start what it is, where it listens, what it serves, how to try it and how to stop', async () => {
    const { url, printed, child, finished } = await serve()
    await printed(/Stop/)
    child.kill('SIGTERM')
    expect((await finished).out).toBe(
      [
        `plant-mock ${packageJson.version} on ${url}`,
        '',
        '  Plants   24 plants from garden; any bearer token is a caller',
        `  Try      curl -H 'Authorization: Bearer alice' '${url}/plants?limit=3'`,
        `  Page     ${url}/__plant-mock/`,
        '  Stop     Ctrl-C',
        '',
        'Stopped.',
        '',
      ].join('\n'),
    )
  })

  it('prints one line a request: method, path, status, caller, duration, and the problem of a failure', async () => {
    const { url, printed } = await serve()
    await fetch(`${url}/plants?limit=1`, as('secret'))
    await fetch(`${url}/plants`, post({}, { authorization: 'Bearer secret' }))
    await fetch(`${url}/plants?access_token=secret&limit=1`)
    const [text] = await printed(/GET {5}[\s\S]*missing-token.*\n/)
    expect(text.replaceAll(/\d+\.\d ms/g, '# ms')).toBe(
      [
        'GET     /plants?limit=1  200  caller-1  # ms',
        'POST    /plants  400  caller-1  invalid-plant  # ms',
        'GET     /plants?access_token=…&limit=1  401  -  missing-token  # ms',
        '',
      ].join('\n'),
    )
  })

  it('uses no colours where there is no terminal', async () => {
    const { url, child, finished } = await serve([], { env: { TERM: 'xterm-256color' } })
    await list(url)
    child.kill('SIGTERM')
    expect((await finished).out).not.toContain('\u001B')
  })

  it('names the session and the fault in the line of a request', async () => {
    const { url, printed } = await serve(['--fail-rate', '1', '--latency', '1-2'])
    await printed(/Faults {3}answers after 1 to 2 ms, 100 % of the requests answered 503\n/)
    await fetch(`${url}/plants`, { headers: { authorization: 'Bearer x', 'plant-mock-session': 'test 7' } })
    await printed(
      /GET {5}\/plants {2}503 {2}caller-1 {2}\[test 7\] {2}simulated-failure {2}fault: status {2}[\d.]+ ms\n/,
    )
  })

  it('says when a session gave way to another', async () => {
    const { url, printed } = await serve(['--json'])
    for (let i = 0; i <= 256; i++)
      await fetch(`${url}/plants`, { headers: { 'plant-mock-session': `s-${i}` } })
    await printed(/\{"event":"notice","text":"session s-0 was dropped: there may be 256/)
  })

  it('writes coverage to a file at the end, and prints it', async () => {
    const file = join(folder, 'coverage.json')
    const { url, child, finished } = await serve(['--coverage', file])
    await list(url, 'alice', '?limit=1')
    await fetch(`${url}/plants`)
    child.kill('SIGTERM')
    const { out } = await finished
    expect(out).toMatch(/^Outcomes of the contract that were met: 2 of 21$/m)
    expect(out).toMatch(/^ {2}listPlants {3}met {4}cut 1, unauthorized 1$/m)
    const { coverage } = JSON.parse(await readFile(file, 'utf8')) as {
      coverage: { outcome: string; count: number }[]
    }
    expect(coverage.filter(({ count }) => count > 0)).toMatchObject([
      { outcome: 'cut' },
      { outcome: 'unauthorized' },
    ])
    expect(coverage).toHaveLength(21)
  })

  it('opens its control interface to other machines for a key alone, and never prints it', async () => {
    const key = 'key-that-nobody-sees'
    const off = await serve(['--host', '0.0.0.0'])
    await off.printed(/Page {5}off: other machines reach this address, and there is no --control-key\n/)
    const on = await serve(['--host', '0.0.0.0'], { env: { PLANT_MOCK_CONTROL_KEY: key } })
    const url = on.url.replace('0.0.0.0', '127.0.0.1')
    const headers = { 'plant-mock-control-key': key }
    expect((await fetch(`${url}/__plant-mock/state`, { headers })).status).toBe(200)
    on.child.kill('SIGTERM')
    const { out, error } = await on.finished
    expect(out + error).not.toContain(key)
  })

  it('prints JSON, one object a line, with --json', async () => {
    const { url, child, finished, printed } = await serve(['--json'])
    await list(url)
    await printed(/"event":"request"/)
    child.kill('SIGINT')
    const events = (await finished).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(events).toEqual([
      {
        event: 'listening',
        name: 'plant-mock',
        version: packageJson.version,
        url,
        control: `${url}/__plant-mock/`,
        plants: 24,
        from: 'garden',
        assumed: {},
      },
      {
        event: 'request',
        method: 'GET',
        url: '/plants',
        status: 200,
        caller: 'caller-1',
        milliseconds: expect.any(Number),
      },
      { event: 'stopped' },
    ])
  })

  it('prints its address alone with --quiet', async () => {
    const { url, child, finished } = await serve(['--quiet'])
    await list(url)
    child.kill('SIGTERM')
    expect((await finished).out).toBe(`${url}\n`)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes a request in flight on %s and exits with 0',
    async (signal) => {
      const { url, child, finished } = await serve()
      const body = JSON.stringify(fern).replace('7', '700')
      const request = httpRequest(`${url}/plants`, {
        ...(post('') as { method: string; headers: Record<string, string> }),
      })
      request.write(body.slice(0, 5))
      await list(url)
      child.kill(signal)
      // The socket no longer listens: the signal has been taken.
      while (
        await fetch(url).then(
          () => true,
          () => false,
        )
      );
      request.end(body.slice(5))
      const [response] = await once(request, 'response')
      response.resume()
      expect(response.statusCode).toBe(201)
      expect((await finished).code).toBe(0)
    },
  )

  it('says that a port is taken, names the next free one, and exits with 1', async () => {
    const { url } = await serve()
    const { port } = new URL(url)
    const { code, out, error } = await finish(['--port', port])
    expect([code, out]).toEqual([1, ''])
    expect(error).toMatch(
      new RegExp(
        `^plant-mock: Port ${port} on 127\\.0\\.0\\.1 is taken\\. Port \\d+ is free: --port \\d+\n$`,
      ),
    )
  })

  it('takes flags from the environment; flags win', async () => {
    const env = {
      PLANT_MOCK_FIXTURES: 'empty,crowded',
      PLANT_MOCK_ASSUME: 'list.defaultLimit=20,list.order=newest',
    }
    const first = await serve([], { env })
    expect(await list(first.url)).toHaveLength(20)
    const second = await serve(['--fixtures', 'empty', '--assume', 'create.status=200'], { env })
    expect(await list(second.url)).toHaveLength(0)
    expect((await fetch(`${second.url}/plants`, post(fern))).status).toBe(200)
  })

  it('shows on start what is assumed other than by default', async () => {
    const { printed } = await serve(['--assume', 'list.order=newest', '--assume=create.status=200'])
    await printed(/Assumed {2}create\.status=200, list\.order=newest\n/)
  })
})

describe('plants', () => {
  it('come from several fixtures, in the order given', async () => {
    const file = await fixtureFile('mine.json', [fern])
    const { url, printed } = await serve(['--fixtures', file, '--fixtures', 'garden'])
    expect((await list(url)).map(({ name }) => name).slice(0, 2)).toEqual([fern.name, garden[0]?.name])
    await printed(/25 plants from .*mine\.json and garden/)
  })

  it('are generated with --plants, the same for the same seed, in place of garden', async () => {
    const lists = await Promise.all(
      [
        ['--plants', '5'],
        ['--plants', '5', '--seed', '1'],
        ['--plants', '5', '--seed', '2'],
      ].map(async (args) => list((await serve(args)).url)),
    )
    expect(lists[0]).toHaveLength(5)
    expect(lists[1]).toEqual(lists[0])
    expect(lists[2]).not.toEqual(lists[0])
  })

  it('are generated behind the fixtures given, with ids above theirs', async () => {
    const { url } = await serve(['--plants', '5', '--fixtures', 'garden'])
    expect(await list(url, 'carol')).toHaveLength(18 + 5)
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 25 }))).status).toBe(409)
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 30 }))).status).toBe(201)
  })

  it('are for the tokens given alone, with --token', async () => {
    const { url, printed } = await serve(['--token', 'secret-1', '--token', 'secret-2', '--plants', '20'])
    const [first, second] = [await list(url, 'secret-1'), await list(url, 'secret-2')]
    expect(first.length + second.length).toBe(20)
    expect((await fetch(`${url}/plants`, as('stranger'))).status).toBe(401)
    const [text] = await printed(/[\s\S]*Stop/)
    expect(text).toContain('"Authorization: Bearer $TOKEN"')
    expect(text).not.toContain('secret')
  })
})

describe('--watch', () => {
  it('loads an edited file anew, keeps the old plants on a bad edit and says what is wrong', async () => {
    const file = await fixtureFile('watched.json', [fern])
    const { url, printed } = await serve(['--fixtures', file, '--watch'])
    await writeFile(file, '{"plants":[{"name":"no tag"}]}')
    await printed(
      /The change was not loaded, the plants are as before\. .*watched\.json at #\/plants\/0\/tag is required/,
    )
    expect(await list(url)).toHaveLength(1)
    await fixtureFile('watched.json', [fern, fern, fern])
    await printed(/Loaded anew: 3 plants from .*watched\.json\./)
    expect(await list(url)).toHaveLength(3)
  })

  it('sees a file that an editor put in the place of the old', async () => {
    const file = await fixtureFile('replaced.json', [fern])
    const { url, printed } = await serve(['--fixtures', file, '--watch'])
    await rename(await fixtureFile('replaced.json.tmp', [fern, fern]), file)
    await printed(/Loaded anew: 2 plants/)
    expect(await list(url)).toHaveLength(2)
  })

  it('needs a file to watch', async () => {
    expect(await finish(['--plants', '3', '--watch'])).toMatchObject({
      code: 2,
      error: expect.stringMatching(/--watch needs --fixtures/),
    })
  })
})

describe('misuse', () => {
  it.each([
    [['--prot', '4010'], 'There is no option --prot. Did you mean --port?'],
    [['-x'], 'There is no option -x.'],
    [['serv'], 'There is no command serv. Did you mean serve?'],
    [['serve', 'now'], '"now" is one word too many after "serve".'],
    [['--port'], '--port needs a value: --port PORT.'],
    [['--port', 'http'], '--port must be a port from 0 to 65535, not "http".'],
    [['--port', '65536'], '--port must be a port from 0 to 65535, not "65536".'],
    [['--port', '1', '--port', '2'], '--port was given 2 times; it takes one value.'],
    [['--plants', '-1'], '--plants must be a number of plants from 0 to 10000000, not "-1".'],
    [['--plants', '1e3'], '--plants must be a number of plants'],
    [['--seed', 'x'], '--seed must be a whole number, not "x".'],
    [['--quiet=yes'], '--quiet takes no value.'],
    [['--token', 'a b'], 'A value of --token is not a bearer token.'],
    [['--fixtures', 'gardne'], 'Unknown fixture "gardne". Did you mean "garden"?'],
    [['--fixtures', 'nowhere.json'], 'The fixture file nowhere.json does not exist.'],
    [
      ['--assume', 'create.statsu=200'],
      'There is no assumption "create.statsu". Did you mean "create.status"?',
    ],
    [['--assume', 'create.status=418'], 'The assumption create.status cannot be "418". It can be 201, 200.'],
    [['--assume', 'create.status'], '"create.status" is not an assumption.'],
    [['generate', '--port', '1'], '--port does not go with "plant-mock generate"; it goes with serve, vary.'],
    [
      ['--latency', '9-3'],
      '--latency must be milliseconds such as 300, or a range such as 100-800, not "9-3".',
    ],
    [['--fail-rate', '2'], '--fail-rate must be a share from 0 to 1, such as 0.1, not "2".'],
    [['--control-key', 'short'], '--control-key must be 8 or more letters, digits or signs without spaces.'],
    [['--coverage', '/nowhere/at/all.json'], '--coverage cannot write /nowhere/at/all.json: ENOENT'],
    [['--host', 'not an address'], 'not an address is not an address of this machine.'],
    [['--host', ''], 'The host is empty. Use 127.0.0.1, or 0.0.0.0 to be reached from others.'],
  ])('%j is refused in one line, with nothing started', async (args, message) => {
    const { code, out, error } = await finish(args)
    expect([code, out]).toEqual([args[0] === '--host' ? 1 : 2, ''])
    expect(error).toMatch(/^plant-mock: [^\n]+\n$/)
    expect(error).toContain(message)
  })

  it('in an environment variable names the variable', async () => {
    const { code, error } = await finish([], { env: { PLANT_MOCK_PORT: 'http' } })
    expect([code, error]).toEqual([
      2,
      'plant-mock: PLANT_MOCK_PORT must be a port from 0 to 65535, not "http".\n',
    ])
  })
})

describe('plant-mock --help', () => {
  it.each([[['--help']], [['-h']], [['serve', '--help']]])(
    '%j shows commands and options, and exits with 0',
    async (args) => {
      const { code, out } = await finish(args)
      expect(code).toBe(0)
      for (const word of [
        'generate',
        'assumptions',
        'contract',
        '-p, --port PORT',
        '--watch',
        'PLANT_MOCK_PORT',
      ])
        expect(out).toContain(word)
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
    },
  )

  it('of a command shows the options of that command', async () => {
    const { out } = await finish(['generate', '--help'])
    expect(out).toContain('--plants N')
    expect(out).not.toContain('--port PORT')
  })

  it('--version shows the version', async () => {
    expect(await finish(['-v'])).toEqual({ code: 0, out: `${packageJson.version}\n`, error: '' })
  })
})

describe('plant-mock generate', () => {
  it('prints a fixture file that serve takes, the same for the same seed', async () => {
    const args = ['generate', '--plants', '7', '--seed', '3', '--token', 'alice', '--token', 'bob']
    const { code, out } = await finish(args)
    expect([code, (await finish(args)).out]).toEqual([0, out])
    const path = join(folder, 'generated.json')
    await writeFile(path, out)
    const { url } = await serve(['--fixtures', path])
    expect((await list(url, 'alice')).length + (await list(url, 'bob')).length).toBe(7)
  })

  it('prints an empty file for no plants', async () => {
    expect(JSON.parse((await finish(['generate', '--plants', '0'])).out)).toMatchObject({ plants: [] })
  })

  it('ends quietly when the reader of its output leaves', async () => {
    const { child, finished } = run(['generate', '--plants', '200000'])
    await once(child.stdout ?? child, 'data')
    child.stdout?.destroy()
    expect(await finished).toMatchObject({ code: 0, error: '' })
  })
})

describe('plant-mock assumptions', () => {
  it('prints every point with its section, question, values and why', async () => {
    const { code, out } = await finish(['assumptions', '--assume', 'create.status=200'])
    expect(code).toBe(0)
    for (const { id, question } of assumptionRegistry) {
      expect(out).toContain(`${id} = `)
      expect(out).toContain(question)
    }
    expect(out).toContain('create.status = 200  (flag; the default is 201; contract.md 4.1)')
    expect(out).toContain('  or 201: Created')
  })

  it('says of each value why it is in force: default, file, learned, seed, environment, flag', async () => {
    const file = join(folder, 'learned.json')
    const observed = { host: 'staging.example', date: '2026-11-20' }
    await writeFile(
      file,
      JSON.stringify({
        assumptions: { 'list.order': { value: 'name', observed }, 'error.body': 'text', 'auth.status': 403 },
      }),
    )
    const env = { PLANT_MOCK_ASSUME: 'auth.status=401,create.emptyStrings=reject' }
    const args = ['--assumptions', file, '--assume', 'create.status=200']
    const { out } = await finish(['assumptions', ...args], { env })
    expect(out).toContain(
      'list.order = name  (learned at staging.example on 2026-11-20; the default is added; contract.md 4.2)',
    )
    expect(out).toContain(`error.body = text  (file ${file}; the default is problem; contract.md 7)`)
    expect(out).toContain('auth.status = 401  (environment; contract.md 5, 7)')
    expect(out).toContain(
      'create.emptyStrings = reject  (environment; the default is accept; contract.md 2.4)',
    )
    expect(out).toContain('create.status = 200  (flag; the default is 201; contract.md 4.1)')
    expect(out).toContain('json.keyOrder = name-tag  (default; contract.md 2)')
    const { out: varied } = await finish(['assumptions', '--assumption-seed', '3', ...args], { env })
    expect(varied).toMatch(/json\.keyOrder = \S+ {2}\(seed 3/)
    expect(varied).toContain('create.status = 200  (flag;')
    const { url } = await serve(args, { env })
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 700 }))).status).toBe(200)
    expect((await list(url)).map(({ name }) => name)).toEqual(
      (await list(url)).map(({ name }) => name).sort(),
    )
  })

  it('are chosen by --assumption-seed when serving, which prints them, the same for the same seed', async () => {
    const start = async () => {
      const { printed } = await serve(['--assumption-seed', '3'])
      return (await printed(/Assumed {2}(.*)\n/))[1]
    }
    const first = await start()
    expect(first).toMatch(/^from seed 3: \S+=/)
    expect(await start()).toBe(first)
  })

  it('prints the same for machines', async () => {
    const rows = JSON.parse((await finish(['assumptions', '--json'])).out) as { id: string; value: unknown }[]
    expect(Object.fromEntries(rows.map(({ id, value }) => [id, value]))).toEqual(defaultAssumptions)
  })
})
