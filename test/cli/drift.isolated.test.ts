import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Assume, defaultAssumptions, variations } from 'plant-mock'
import { loadFixtures, startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import type { RunSuite } from '../../src/vary/suite/run-suite.ts'
import type { Effect, JudgedChange } from '../../src/verify/report/changes-report.ts'
import { openClientFolder } from '../support/client-folder.ts'
import { type ClientFiles, clientScript, clientSuite } from '../support/client-suite.ts'
import { type Finished, finish, runCommandLine } from '../support/command-line.ts'
import { listen } from '../support/conformance.ts'
import { expressService } from '../support/express-service.ts'
import { runs } from '../support/runs.ts'

const folder = await openClientFolder()

type Judged = { readonly changes: readonly JudgedChange[]; readonly allAtOnce?: Effect }

let files = 0
const fileOf = async (assumptions: object): Promise<string> => {
  const file = join(folder, `assumptions-${++files}.json`)
  await writeFile(file, JSON.stringify({ assumptions }))
  return file
}

const compare = async (
  earlier: object,
  later: object,
  runSuite?: RunSuite,
  ...args: readonly string[]
): Promise<Finished> =>
  finish(
    [
      ...['diff', await fileOf(earlier), await fileOf(later), ...args],
      ...(runSuite === undefined ? [] : ['--', 'run-the-client']),
    ],
    runSuite && { runSuite },
  )

const compareAsJson = async (earlier: object, later: object, runSuite: RunSuite, ...args: readonly string[]) => {
  const { code, out, error } = await compare(earlier, later, runSuite, '--reporter', 'json', ...args)
  return { code, error, ...(JSON.parse(out) as Judged) }
}

const needs = (condition: boolean, message: string): void => {
  if (!condition) throw new Error(message)
}

const isPositive = (count: number): boolean => count > 0

const client: ClientFiles = {
  a: {
    'creates a plant': async ({ create }) => {
      const { status } = await create(900)
      needs(status === 201, `expected 201, got ${status}`)
    },
    'creates another': async ({ create }) => needs((await create(901)).ok, 'refused'),
  },
  b: { 'lists plants': async ({ list }) => needs((await list()).length > 0, 'empty') },
}

describe('diff OLD NEW -- COMMAND', () => {
  const earlier = { 'create.status': 201, 'list.order': 'added', 'list.maxLimit': 'none' }
  const later = { 'create.status': 200, 'list.order': 'newest', 'list.maxLimit': 'clamp:50' }

  it('names the tests that a change breaks, tells harmless changes by who met them, and exits with 4', async () => {
    const { code, out } = await compare(earlier, later, clientSuite(client))
    expect(code).toBe(4)
    expect(out.replaceAll(folder, '').replace(/exercised by \d tests?/, 'exercised by N')).toMatchInlineSnapshot(`
      "1 of 3 changes breaks tests.

      Changed
        create.status: was 201, is 200 (contract 4.1) — breaks 1 test
          /client/a  creates a plant
            expected 201, got 200
          Repeat  npx plant-mock vary --assumptions /assumptions-1.json --only create.status=200 -- run-the-client
        list.maxLimit: was none, is clamp:50 (contract 8) — no test would see the change
        list.order: was added, is newest (contract 4.2) — exercised by N, breaks none

      Next: change the client or the test, then run npx plant-mock vary --assumptions /assumptions-1.json --only create.status=200 -- run-the-client
      "
    `)
  })

  it('runs the suite also with what could not be seen before, since a change may break a test only with it', async () => {
    const [tolerant, unseen]: readonly [ClientFiles, object] = [
      {
        a: {
          'creates a plant twice': async ({ create }) => {
            await create(900)
            const { status } = await create(900)
            needs(status < 300 || status === 409, `got ${status}`)
          },
        },
      },
      { unseen: 'every second create succeeds' },
    ]
    const before = { 'create.duplicateId': 'accept', 'create.duplicateStatus': unseen }
    const after = { 'create.duplicateId': 'conflict', 'create.duplicateStatus': 422 }
    const { code, allAtOnce } = await compareAsJson(before, after, clientSuite(tolerant))
    expect([code, allAtOnce]).toMatchObject([4, { breaks: [{ message: 'got 422' }] }])
    expect((await compareAsJson({ ...before, ...after }, after, clientSuite(tolerant))).code).toBe(0)
  })

  it('runs the suite with what the earlier side does not state, such as a maximum that a document adds', async () => {
    const strict: ClientFiles = { a: { lists: async ({ list }) => needs((await list()).length > 3, 'cut') } }
    const { code, out } = await compare({}, { 'list.maxLimit': 'clamp:3', 'list.order': 'newest' }, clientSuite(strict))
    expect([code, out]).toEqual([4, expect.stringContaining('list.maxLimit: before: not seen; now: clamp:3')])
    expect(out).toMatch(/\nNow known\n {2}list\.order: before: not seen; now: newest/)
  })

  it('does not judge a rate limit that only more requests show', async () => {
    const before = { 'rate.limit': 'none' }
    const after = { 'rate.limit': { other: 'some requests get 429' } }
    const { code, out } = await compare(before, after, clientSuite(client))
    expect([code, out.match(/rate\.limit: .*/g)]).toEqual([4, [expect.stringContaining('not judged')]])
  })

  it('accepts the tokens of the tests where the service accepts only its own', async () => {
    const listed = { 'auth.tokens': 'listed' }
    const [from, to] = [
      { ...listed, 'create.status': 201 },
      { ...listed, 'create.status': 200 },
    ]
    const { code, changes } = await compareAsJson(from, to, clientSuite(client), '--fixtures', 'crowded')
    expect([code, changes]).toMatchObject([4, [{ breaks: [{}], repeat: expect.stringContaining(' auth.tokens=any ') }]])
  })

  it('has the consequences in the JSON report', async () => {
    const { changes, allAtOnce } = await compareAsJson(earlier, later, clientSuite(client))
    expect(changes).toMatchObject([
      {
        id: 'create.status',
        breaks: [{ name: 'creates a plant', file: '/client/a', message: 'expected 201, got 200' }],
        repeat: expect.stringMatching(
          /^npx plant-mock vary --assumptions \S+ --only create\.status=200 -- run-the-client$/,
        ),
      },
      { id: 'list.maxLimit', exercisedBy: 0, notExercised: true, breaks: [] },
      { id: 'list.order', exercisedBy: expect.toSatisfy(isPositive), notExercised: false, breaks: [] },
    ])
    expect(allAtOnce).toEqual({ breaks: [] })
  })

  it('names the tests that break only with all changes together', async () => {
    const both: ClientFiles = {
      a: {
        'reads the status and the order': async ({ create, list }) => {
          const { status } = await create(902)
          const [first] = await list()
          needs(status === 201 || first?.name !== 'Hoya', 'both changed')
        },
      },
    }
    const { code, changes, allAtOnce } = await compareAsJson(earlier, later, clientSuite(both))
    expect([code, changes.flatMap(({ breaks }) => breaks)]).toEqual([4, []])
    expect(allAtOnce).toMatchObject({ breaks: [{ name: 'reads the status and the order' }] })
    const { out } = await compare(earlier, later, clientSuite(both))
    expect(out).toMatch(/^Of 3 changes, none breaks a test alone, but all together do\.\n/)
    expect(out).toMatch(
      /\nBroken only by all changes together\n {2}all changes together — breaks 1 test\n {4}\/client\/a {2}reads the status and the order\n {6}both changed\n/,
    )
  })

  it('serves all changes together in one run, which is repeated only if a test fails that no change breaks alone', async () => {
    const runsAtOnce = (error: string) =>
      error.match(/^run \d+ {2}.*list\.maxLimit=clamp:50 list\.order=newest {2}(?:passed|failed)/gm)
    const harmless = await compareAsJson(earlier, later, clientSuite(client))
    expect(runsAtOnce(harmless.error)).toHaveLength(1)
    let lists = 0
    const flaky: ClientFiles = {
      a: { lists: async ({ list }) => needs((await list()).length > 0 && ++lists !== 3, '') },
    }
    const { code, allAtOnce, error } = await compareAsJson(
      earlier,
      { ...later, 'create.status': 201 },
      clientSuite(flaky),
    )
    expect([code, allAtOnce]).toEqual([0, { breaks: [] }])
    expect(runsAtOnce(error)).toEqual([
      'run 3  list.maxLimit=clamp:50 list.order=newest  failed',
      'run 4  list.maxLimit=clamp:50 list.order=newest  passed',
    ])
  })

  it('judges a command whose tests are not known also with all changes together', async () => {
    const script = clientScript(async ({ create, list }) => {
      const { status } = await create(904)
      needs(status === 201 || (await list())[0]?.name !== 'Hoya', 'both')
    })
    const { code, allAtOnce } = await compareAsJson(earlier, later, script)
    expect([code, allAtOnce]).toEqual([4, { breaks: [], breaksCommand: 'exit code 1' }])
  })

  it('judges a command whose tests are not known by its exit code', async () => {
    const script = clientScript(async ({ create }) => needs((await create(903)).status === 201, 'other'))
    const { code, changes } = await compareAsJson(earlier, { 'create.status': 200 }, script)
    expect([code, changes]).toMatchObject([4, [{ breaks: [], breaksCommand: 'exit code 1', notExercised: false }]])
  })

  it('runs the suite with a value that the service did not have before, because its behaviour was none', async () => {
    const was = { 'list.order': { other: 'by tag' } }
    const harmless = await compareAsJson(was, { 'list.order': 'added' }, clientSuite(client))
    expect([harmless.code, harmless.changes]).toMatchObject([0, [{ breaks: [], notExercised: false }]])
  })

  it('does not call a change harmless whose behaviour is none of the values of the mock', async () => {
    const is = { 'create.status': { other: 'it responds with 207' } }
    const { code, changes } = await compareAsJson({ 'create.status': 201 }, is, clientSuite(client))
    expect([code, changes]).toEqual([
      4,
      [expect.objectContaining({ notJudged: expect.stringContaining('no such value') })],
    ])
  })

  it('exits with 2, and reports the changes all the same, when the suite fails before them', async () => {
    const failing = clientSuite({ a: { fails: () => needs(false, 'always') } })
    const { code, out, error } = await compare(earlier, later, failing)
    expect([code, out]).toEqual([2, expect.stringContaining('create.status: was 201, is 200')])
    expect(error).toMatch(/^plant-mock: The command fails before anything is changed \(exit code 1\)/m)
  })

  it('runs nothing when nothing changed', async () => {
    const { code, out } = await compare(earlier, earlier, async () => {
      throw new Error('ran')
    })
    expect([code, out]).toEqual([0, 'No change was seen.\n'])
  })
})

describe('diff OLD NEW', () => {
  it('tells rules that are broken newly from those that are so still or no more, and exits with 1 for new ones', async () => {
    const fileWith = async (...broken: readonly string[]): Promise<string> => {
      const file = await fileOf({})
      await writeFile(file, JSON.stringify({ assumptions: {}, broken }))
      return file
    }
    const [from, to] = [await fileWith('list.limit', 'list.json'), await fileWith('list.limit', 'create.json')]
    const { code, out } = await finish(['diff', from, to])
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(
        /^1 rule of the contract is newly broken\. No other change was seen\.\n\nNewly broken\n {2}create\.json: .*\n\nStill broken\n {2}list\.limit: .*\n\nRepaired\n {2}list\.json: .*\n$/,
      ),
    ])
    expect((await finish(['diff', from, from])).code).toBe(0)
  })

  it('exits with 0 when the only difference is that a broken rule is now kept', async () => {
    const [from, to] = [await fileOf({ 'create.status': 201 }), await fileOf({ 'create.status': 201 })]
    await writeFile(from, JSON.stringify({ assumptions: { 'create.status': 201 }, broken: ['list.json'] }))
    const { code, out } = await finish(['diff', from, to])
    expect([code, out]).toEqual([0, expect.stringMatching(/^No change was seen\.\n\nRepaired\n {2}list\.json: .*\n$/)])
  })

  it('prints what differs, and exits with 4', async () => {
    const { code, out } = await compare({ 'create.status': 201 }, { 'create.status': 200, 'list.order': 'newest' })
    const next = /\n\nNext: to find the tests that break, run npx plant-mock diff \S+ \S+ -- COMMAND\n$/
    expect([code, out.replace(next, '')]).toEqual([
      4,
      '1 change was seen. 1 point is now known.\n\nChanged\n  create.status: was 201, is 200 (contract 4.1)\n\nNow known\n  list.order: before: not seen; now: newest (contract 4.2)',
    ])
  })

  it('calls no form changed where the text stayed, and only the status changed', async () => {
    const { out } = await compare(
      { 'auth.status': 401, 'error.authBody': '{"code":"{status}","error":"{title}"}' },
      { 'auth.status': 403, 'error.authBody': '{"code":401,"error":"Unauthorized"}' },
    )
    expect(out).toMatch(/^1 change was seen\.\n\nChanged\n {2}auth\.status: was 401, is 403/)
  })

  it.each<[string, readonly string[], RegExp]>([
    ['no operand', [], /OLD and NEW are missing\. Usage: plant-mock diff OLD NEW/],
    ['one operand', ['a.json'], /NEW is missing\. Usage: plant-mock diff OLD NEW/],
    ['a file that does not exist', ['none.json', 'b.json'], /none\.json does not exist\./],
    ['an address without a token', ['a.json', 'http://127.0.0.1:1'], /A bearer token is missing/],
    ['an option of suites without a command', ['a.json', 'b.json', '--jobs', '2'], /--jobs needs a test command\./],
  ])('refuses %s', async (_name, args, message) => {
    const known = await fileOf({ 'create.status': 201 })
    const words = args.map((word) => (word === 'a.json' ? known : word))
    const { code, error } = await finish(['diff', ...words])
    expect([code, error]).toEqual([2, expect.stringMatching(message)])
  })
})

type Seeded = (response: Seen) => Seen
type Seen = { readonly method: string; readonly status: number; readonly body: unknown }

const status =
  (from: number, to: number, only?: string): Seeded =>
  (seen) =>
    seen.status === from && (only ?? seen.method) === seen.method ? { ...seen, status: to } : seen

const serveChanged = async (changes: readonly Seeded[]) => {
  const inner = await listen(await expressService(['alice', 'bob']))
  const outer = await listen(async (req, res) => {
    const { method = 'GET', url } = req
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const headers = Object.fromEntries(
      ['authorization', 'content-type', 'accept'].flatMap((name) => {
        const value = req.headers[name]
        return typeof value === 'string' ? [[name, value]] : []
      }),
    )
    const response = await fetch(`${inner.url}${url}`, {
      method,
      headers,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type')
    const body: unknown = type?.includes('json') ? JSON.parse(text) : text
    const seen = changes.reduce<Seen>((before, change) => change(before), { method, status: response.status, body })
    const challenge = response.headers.get('www-authenticate')
    res.writeHead(seen.status, {
      ...(type && { 'content-type': type }),
      ...(challenge && { 'www-authenticate': challenge }),
    })
    res.end(typeof seen.body === 'string' ? seen.body : JSON.stringify(seen.body))
  })
  const close = async (): Promise<void> => {
    await outer.close()
    await inner.close()
  }
  return { url: outer.url, close }
}

const ids = (() => {
  let id = 5_000
  return () => ++id
})()
const call = async (url: string, path: string, { token = 'alice', ...init }: RequestInit & { token?: string } = {}) =>
  fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } })
const create = (url: string, plant: object = {}) =>
  call(url, '/plants', {
    method: 'POST',
    body: JSON.stringify({ id: ids(), name: `Fern ${ids()}`, tag: 'green', ...plant }),
  })

describe('diff FILE URL', () => {
  it('names the rule that the service breaks newly, and the changes beside it with the tests that they break', async () => {
    const learned = join(folder, 'before.json')
    const options = ['--token', 'alice', '--other-token', 'bob']
    const before = await serveChanged([])
    const { code: learning } = await finish(['verify', before.url, ...options, '--learn', learned])
    await before.close()
    const withId: Seeded = (seen) =>
      seen.method === 'POST' && seen.status === 201 ? { ...seen, body: { ...Object(seen.body), id: 7 } } : seen
    const after = await serveChanged([withId, status(201, 200), status(401, 403)])
    const run = { runSuite: clientSuite(client) }
    const { code, out } = await finish(['diff', learned, after.url, ...options, '--', 'run-the-client'], run)
    await after.close()
    expect([learning, code]).toEqual([0, 1])
    expect(out).toMatch(/^1 rule of the contract is newly broken\. 1 of 2 changes breaks tests\.\n/)
    expect(out).toMatch(
      /\nNewly broken\n {2}create\.shape: .*\n {4}id is not a field of a plant: .*\n {4}Repeat {2}curl -i /,
    )
    expect(out).toMatch(
      /\nChanged\n {2}create\.status: was 201, is 200 .* — breaks 1 test\n(?: {3}.*\n)+ {2}auth\.status: was 401, is 403 /,
    )
  })
})

const requests: readonly ((url: string, id: number) => Promise<Response>)[] = [
  (url, id) => create(url, { id, name: 'Hoya' }),
  (url, id) => create(url, { id, name: 'Hoya', tag: undefined }),
  (url, id) => create(url, { id, name: 1 }),
  (url) => call(url, '/plants'),
  (url) => call(url, '/plants?limit=2'),
  (url) => call(url, '/plants?limit=0'),
  (url) => call(url, '/plants?limit=x'),
  (url) => call(url, '/plants', { headers: { authorization: '' } }),
]

const sightOf = async (response: Response): Promise<string> => `${response.status} ${await response.text()}`

describe('any client under any changes', () => {
  it('fails in the tests that the report names, and in no others', async () => {
    const steps = fc.array(fc.nat(requests.length - 1), { minLength: 1, maxLength: 3 })
    const changed = fc.uniqueArray(fc.constantFrom(...variations()), {
      minLength: 1,
      maxLength: 3,
      selector: ({ assume }) => Object.keys(assume).join(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 4 }), changed, async (clients, variants) => {
        const later = Object.assign({}, ...variants.map(({ assume }) => assume)) as Assume
        const earlier = Object.fromEntries(Object.keys(later).map((id) => [id, defaultAssumptions[id as keyof Assume]]))
        const send = async (url: string, all: readonly number[], first: number): Promise<readonly string[]> => {
          const seen: string[] = []
          for (const [at, index] of all.entries())
            seen.push(await sightOf(await (requests[index] as (typeof requests)[number])(url, first + at)))
          return seen
        }
        const runAt = async (assume: Assume) => {
          const { url, close } = await startPlantMock({ assume, fixtures: await loadFixtures('garden') })
          const seen = []
          for (const [at, all] of clients.entries()) seen.push(await send(url, all, 8_000 + 10 * at))
          await close()
          return seen.map(String)
        }
        const [expected, actual] = [await runAt(earlier), await runAt(later)]
        const tests = clients.map((all, at) => [
          `test ${at}`,
          async ({ url }: { readonly url: string }) =>
            needs(String(await send(url, all, 8_000 + 10 * at)) === expected[at], 'differs'),
        ])
        const {
          code,
          changes,
          allAtOnce = { breaks: [] },
        } = await compareAsJson(earlier, later, clientSuite({ a: Object.fromEntries(tests) }))
        const named = [...changes, allAtOnce].flatMap(({ breaks = [] }) => breaks.map(({ name }) => name))
        const failing = actual.flatMap((sight, at) => (sight === expected[at] ? [] : [`test ${at}`]))
        expect([[...new Set(named)].toSorted(), code]).toEqual([failing, failing.length > 0 ? 4 : 0])
      }),
      { numRuns: runs(100) },
    )
  })
})

const stopInFirstRun = (...args: readonly string[]): Promise<Finished> => {
  const { stop, finished } = runCommandLine([...args, '--', 'run-the-client'], {
    runSuite: (request) => {
      stop('SIGINT')
      return clientSuite(client)(request)
    },
  })
  return finished
}

describe('stopped in the first run', () => {
  it('diff prints the comparison without a verdict on the tests', async () => {
    const files = [await fileOf({ 'create.status': 201 }), await fileOf({ 'create.status': 200 })]
    const { code, out, error } = await stopInFirstRun('diff', ...files)
    expect([code, error]).toEqual([
      130,
      expect.stringContaining('plant-mock: Stopped before the first run was complete'),
    ])
    expect(out).toMatch(/^1 change was seen\.\n\nChanged\n {2}create\.status: was 201, is 200 \(contract 4\.1\)\n/)
  })

  it.each(['vary', 'mutate'])('%s calls no test flaky, and nothing not exercised', async (command) => {
    const { code, out, error } = await stopInFirstRun(command)
    expect([code, out, error]).toEqual([130, '', expect.stringContaining('plant-mock: Stopped before the first run')])
  })
})
