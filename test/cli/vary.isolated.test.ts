import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { connectPlantMock } from 'plant-mock/control'
import { describe, expect, it } from 'vitest'
import type { RunSuite } from '../../src/vary/suite/run-suite.ts'
import { openClientFolder } from '../support/client-folder.ts'
import { type ClientContext, type ClientFiles, clientScript, clientSuite } from '../support/client-suite.ts'
import { finish as finishCommand, serve } from '../support/command-line.ts'
import { causesIn, parseVaryReport } from '../support/vary-report.ts'

const folder = await openClientFolder()

const anyCommand = ['--', 'run-the-client']
const finish = (args: readonly string[], runSuite: RunSuite, command = anyCommand) =>
  finishCommand(['vary', ...args, ...command], { runSuite })

const report = async (args: readonly string[], runSuite: RunSuite, command?: string[]) =>
  parseVaryReport(await finish(['--reporter', 'json', ...args], runSuite, command))

const needs = (condition: boolean, message: unknown = 'unexpected'): void => {
  if (!condition) throw new Error(String(message))
}
const needsStatus =
  (expected: number) =>
  async ({ create }: ClientContext) => {
    const { status } = await create(905)
    needs(status === expected, `status ${status}`)
  }
const needsOk = async ({ create }: ClientContext) => needs((await create(900)).ok)
const needsOrder = async ({ list }: ClientContext) => needs((await list())[0]?.name === 'Monstera deliciosa')
const onlyCall = (number: number) => {
  let calls = 0
  return () => ++calls === number
}
const only = (...ids: string[]) => ids.flatMap((id) => ['--only', id])
const orders = (name: string) =>
  ['list.order=name', 'list.order=newest', 'list.order=shuffled'].map((key) => `${key}: ${name}`)

describe('plant-mock vary names the alternatives and the tests of', () => {
  it('the sessions of the server', async () => {
    const client = clientScript(async ({ url }) => {
      const headers = { authorization: 'Bearer carol', 'content-type': 'application/json', 'plant-mock-session': 'one' }
      const body = '{"id":900,"name":"Hoya","tag":"climber"}'
      const { status } = await fetch(`${url}/plants`, { method: 'POST', headers, body })
      needs(status === 201)
    })
    expect(causesIn(await report(only('create.status'), client))).toEqual(['create.status=200: '])
  })

  it('a command whose tests are not known', async () => {
    const found = await report(only('create.status', 'json.keyOrder'), clientScript(needsStatus(201)))
    expect(found.broken).toMatchObject([{ assume: { 'create.status': 200 }, tests: [], outcome: 'exit code 1' }])
    expect(found.passed).toEqual(['json.keyOrder=tag-name'])
  })

  it.each([
    ['several files', ['a/one.xml', 'b/two.xml']],
    ['folders', ['a', 'b/']],
    ['a folder of folders', ['.']],
    ['a pattern', ['*/*.xml']],
    ['a pattern for any depth', ['**/???.xml']],
    ['a pattern of folders', ['?', 'a/one.xml']],
  ])('a command that writes several JUnit reports, named as %s', async (_, places) => {
    const reports = await mkdtemp(join(folder, 'reports-'))
    const write = async (path: string, text: string): Promise<void> => {
      await mkdir(dirname(join(reports, path)), { recursive: true })
      await writeFile(join(reports, path), text)
    }
    const suite = (name: string, failure = '') =>
      `<testsuite name="${name}"><testcase name="creates" file="plants.ts">${failure}</testcase></testsuite>`
    await write('a/testng.xml', '<testng-results/>')
    await write('a/node_modules/x/old.xml', suite('old'))
    await write('a/old.xml', suite('old', '<failure/>'))
    const client = clientScript(async ({ create }) => {
      const { status } = await create(900)
      await write('a/one.xml', suite('a'))
      await write('b/two.xml', suite('b', status === 201 ? '' : '<failure/>'))
      needs(status === 201)
    })
    const results = places.flatMap((place) => ['--results', join(reports, place)])
    const { broken } = await report([...results, ...only('create.status')], client)
    expect(broken).toMatchObject([{ tests: [{ name: 'creates (2)' }] }])
    expect(await readdir(join(reports, 'a'))).toContain('testng.xml')
  })

  it.each([
    ['UTF-8', ''],
    ['UTF-8 with a byte order mark', '\uFEFF'],
  ])('a command that writes a JUnit report in %s', async (_, mark) => {
    const file = join(folder, `results${mark.length}.xml`)
    const client = clientScript(async ({ create }) => {
      const { status } = await create(900)
      const failure = status === 201 ? '' : `<failure message="not created: ${status}"/>`
      const testCase =
        '<testcase classname="tests.test_plants" name="test_create" file="tests/test_plants.py" line="7">'
      const suite = `<testsuite name="pytest">${testCase}${failure}</testcase></testsuite>`
      await writeFile(file, `${mark}<testsuites>${suite}</testsuites>`)
      needs(status === 201)
    })
    const { broken } = await report(['--results', file, ...only('create.status')], client)
    expect(broken).toMatchObject([
      { tests: [{ name: 'test_create', file: 'tests/test_plants.py', message: 'not created: 200' }] },
    ])
  })

  it('a client that does not fit the base', async () => {
    const client = clientSuite({ a: { status: needsStatus(200) } })
    const found = await report(['--assume', 'create.status=200', ...only('create.status')], client)
    expect(causesIn(found)).toEqual(['create.status=201: status'])
    expect(found.broken[0]?.relies).toContain('rely on create.status=200 (OK)')
  })
})

describe('plant-mock vary', () => {
  it('exits with 0 when nothing breaks, and says what was not exercised', async () => {
    const { code, out, error } = await finish(['--verbose'], clientScript(needsOk))
    expect([code, out]).toEqual([0, expect.stringMatching(/^Your tests pass under all \d alternatives that/)])
    expect(out).toMatch(
      /^Not exercised: no response would change\n {2}create\.required=.*list\.order=newest, .*list\.order=name/ms,
    )
    expect(error).toMatch(
      /^Baseline passed, 1 exchange, .*\n3 of 37 alternatives to try: 3 to 7 runs, about .* s\.\nrun 2 {2}/,
    )
  })

  it('serves no test another alternative than the others, which could hide a failure of its own', async () => {
    let isTolerant = false
    const client: ClientFiles = {
      a: {
        create: async ({ create, url }) => {
          isTolerant = (await create(900)).status === 200
          await connectPlantMock(url).reset()
        },
        order: async (context) => (isTolerant ? void (await context.list()) : needsOrder(context)),
      },
    }
    const found = await report(only('create.status', 'list.order'), clientSuite(client))
    expect([causesIn(found), found.passed]).toEqual([orders('order'), ['create.status=200']])
  })

  it('starts each run with the same plants, whatever the previous run created', async () => {
    const client = clientScript(async ({ create }) => needs((await create(900)).status !== 409))
    const { broken, runs } = await report(only('json.keyOrder', 'create.status'), client)
    expect([broken, runs]).toEqual([[], 3])
  })

  it('tries further values only with --thorough', async () => {
    const args = only('create.duplicateStatus')
    expect((await report(args, clientScript(needsOk))).notExercised).not.toContain('create.duplicateStatus=422')
    expect((await report(['--thorough', ...args], clientScript(needsOk))).notExercised).toContain(
      'create.duplicateStatus=422',
    )
  })

  it('runs several at the same time with --jobs', async () => {
    let began = 0
    let meet: (() => void) | undefined
    const met = new Promise<void>((resolve) => {
      meet = resolve
    })
    // The second and the third run wait for each other: the test ends only if both run at once.
    const client = clientScript(async (context) => {
      began += 1
      if (began === 3) meet?.()
      if (began > 1) await met
      await needsOk(context)
    })
    const selected = only('create.status', 'list.order', 'json.keyOrder')
    const { code } = await finish(['--jobs', '2', ...selected], client)
    expect(code).toBe(0)
  })

  it('keeps only the output of failed runs, in a temporary folder', async () => {
    const { broken } = await report(only('create.status'), clientScript(needsStatus(201)))
    const names = await readdir(dirname(broken[0]?.output ?? ''))
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !/^run_\d+_create\.status=200\.log$/.test(name))).toEqual([])
  })
})

describe('plant-mock vary --accept', () => {
  const selected = only('create.status', 'list.order')
  const relying = clientSuite({ a: { status: needsStatus(201) }, b: { order: needsOrder } })
  const names = (name: string) => join(folder, name)

  it('writes the reliances sorted, with exit code 0, and then accepts them in every report', async () => {
    const file = names('written.txt')
    const args = ['--accept', file, ...selected]
    const first = await finish([...args, '--update'], relying)
    const reliances = ['create.status=200', 'list.order=name', 'list.order=newest', 'list.order=shuffled']
    expect([first.code, await readFile(file, 'utf8')]).toEqual([0, reliances.map((line) => `${line}\n`).join('')])
    expect(first.error).toContain(`Wrote ${file}: 4 added, 0 removed.`)
    const second = await finish(args, relying)
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('\nAccepted\n  create.status=200 ')])
    expect(second.out).not.toMatch(/Relied on|Accepted, but no longer found/)
    const { code, out } = await finish(['--reporter', 'junit', ...args], relying)
    expect([code, out]).toEqual([0, expect.stringMatching(/failures="0".*name="create\.status=200"><skipped/s)])
  })

  it('names in the report what is not accepted, with exit code 1, and what is accepted and gone', async () => {
    const file = names('one.txt')
    await writeFile(file, 'create.status=200\n')
    const args = ['--accept', file, ...selected]
    const { code, out } = await finish(args, clientSuite({ b: { order: needsOrder } }))
    expect(code).toBe(1)
    expect(out.match(/^ {2}list\.order=\w+: /gm)).toHaveLength(3)
    expect(out).toContain('\nAccepted, but no longer found: create.status=200. --update removes it from')
    const json = await report(args, clientSuite({ a: { ok: needsOk, status: needsStatus(201) } }))
    expect(json).toMatchObject({ accepted: ['create.status=200'], gone: [], notAccepted: [] })
    const gone = await report([...args, '--update'], clientSuite({ a: { ok: needsOk } }))
    expect(gone).toMatchObject({ accepted: [], gone: ['create.status=200'], notAccepted: [] })
    expect(await readFile(file, 'utf8')).toBe('')
  })
})

it.each(['tests', 'a JUnit report'])(
  'a cache that hides an alternative from one of %s leaves it not judged',
  async (known) => {
    let cached: Awaited<ReturnType<ClientContext['list']>> | undefined
    const first = async ({ list }: ClientContext) => {
      cached ??= await list()
      needs(cached[0]?.name === 'Monstera deliciosa')
    }
    const file = join(folder, 'cached.xml')
    const another = async ({ list }: ClientContext) => needs((await list()).length > 0)
    const script = clientScript(async (context) => {
      await first(context)
      await another(context)
      await writeFile(file, '<testsuite><testcase name="first"/><testcase name="another"/></testsuite>')
    })
    const isJunit = known !== 'tests'
    const args = ['--only', 'list.order=newest', ...(isJunit ? ['--results', file] : [])]
    const { code, out } = await finish(args, isJunit ? script : clientSuite({ a: { first, another } }))
    expect([code, out]).toEqual([
      2,
      expect.stringContaining('list.order=newest: no response showed the change: a cache replied'),
    ])
  },
)

describe('without evidence, plant-mock vary exits with 2', () => {
  it('when no request reached the mock', async () => {
    const { code, out, error } = await finish(
      [],
      clientScript(() => undefined),
    )
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(/No request reached the mock, .* .*the suite sends requests to PLANT_MOCK_URL/)
  })

  it('when no response shows what is set, because the client keeps an earlier one', async () => {
    const isFirst = onlyCall(1)
    const client = clientSuite({
      a: { create: async ({ create, list }) => void (isFirst() ? await create(900) : await list()) },
    })
    const { code, out } = await finish(only('create.status'), client)
    expect([code, out]).toEqual([
      2,
      expect.stringMatching(
        /^No alternative was judged\.\n.*\n\nNot judged\n {2}create\.status=200: no response showed the change: .*\n/s,
      ),
    ])
  })

  it('when only flaky tests exercise an alternative', async () => {
    const isSecond = onlyCall(2)
    const flaky = async ({ create }: ClientContext) => needs((await create(900)).ok && !isSecond())
    const { code, out } = await finish(only('create.status'), clientSuite({ a: { flaky } }))
    expect([code, out]).toEqual([2, expect.stringContaining('create.status=200: only flaky tests exercise the change')])
  })

  it('when the report of --results is of an earlier run', async () => {
    const file = join(folder, 'earlier.xml')
    await writeFile(file, '<testsuites><testsuite name="a"><testcase name="a"/></testsuite></testsuites>')
    const { code, error } = await finish(['--results', file], clientScript(needsOk))
    expect([code, error]).toEqual([2, expect.stringContaining(`The command did not write ${file}`)])
  })

  it('when one of the files of --results is missing', async () => {
    const file = join(folder, 'first.xml')
    const client = clientScript(async (context) => {
      await writeFile(file, '<testsuites><testsuite name="a"><testcase name="a"/></testsuite></testsuites>')
      await needsOk(context)
    })
    const { code, error } = await finish(['--results', file, '--results', `${folder}/*/other.xml`], client)
    expect([code, error]).toEqual([2, expect.stringContaining(`The command did not write ${folder}/*/other.xml`)])
  })

  it.each([
    ['json', /^\{\n {2}"verdict": "The command fails before anything is changed/],
    ['junit', /<testsuites tests="1" failures="1".*message="Not judged: The command fails before anything is changed/s],
  ])('with a report as %s when the baseline fails', async (reporter, expected) => {
    const { code, out } = await finish(['--reporter', reporter], clientScript(needsStatus(418)))
    expect([code, out]).toEqual([2, expect.stringMatching(expected)])
  })

  it('when a later run is a cached result', async () => {
    const isFirst = onlyCall(1)
    const client = clientScript(async (context) => {
      if (isFirst()) await needsOk(context)
    })
    const { code, error } = await finish([], client)
    expect(code).toBe(2)
    expect(error).toContain('A later run passed without a request to the mock')
  })
})

describe('wrong usage of plant-mock vary', () => {
  it.each([
    [['vary'], /The test command is missing\. Put it after --/],
    [['vary', '--only', 'list.status', '--', 'true'], /Nothing to vary: --only selects no value/],
    [['vary', '--jobs', '0', '--', 'true'], /--jobs must be a number from 1 to 64/],
    [['vary', '--reporter', 'xml', '--', 'true'], /--reporter must be one of text, json, junit/],
    [['vary', '--results', 'a.xml', '--jobs', '2', '--', 'true'], /--results and --jobs exclude each other/],
    [['vary', '--port', '4010', '--jobs', '2', '--', 'true'], /--port and --jobs exclude each other/],
    [['vary', '--', 'no-such-program-anywhere'], /fails before anything is changed \(could not be started/],
    [
      ['vary', '--', process.execPath, '-e', 'process.exit(4)'],
      /fails before anything is changed \(exit code 4\)\. Fix the command first\. Output: \S+run_2_unchanged\.log/,
    ],
  ])('%j exits with 2', async (args, message) => {
    const { code, out, error } = await finishCommand(args)
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(message)
  })
})

it('the command of vary reaches the server without a proxy', async () => {
  const runs: Readonly<Record<string, string | undefined>>[] = []
  const runSuite: RunSuite = async (run) => {
    runs.push(run.environment)
    return clientScript(needsOk)(run)
  }
  const env = { HTTP_PROXY: 'http://proxy.example', NO_PROXY: 'a.example' }
  await finishCommand(['vary', ...only('create.status'), ...anyCommand], { runSuite, env })
  expect(runs.map(({ NO_PROXY }) => NO_PROXY)).toEqual(['a.example,127.0.0.1', 'a.example,127.0.0.1'])
})

describe('a port that is taken', () => {
  it('makes vary exit with 2, because 1 is a verdict on the client', async () => {
    const { url, close } = await serve()
    const { code, error } = await finish(['--port', new URL(url).port], clientScript(needsOk))
    await close()
    expect([code, error]).toEqual([2, expect.stringMatching(/ is taken\. .* --port 0\.\n$/)])
  })

  it('says of a run that was ended at its timeout', async () => {
    const creates = clientScript(async ({ create }) => void (await create(900)))
    const hangs: RunSuite = async (run) => {
      const result = await creates(run)
      const assumed = JSON.parse(run.environment.PLANT_MOCK_ASSUME ?? '') as { 'create.status': number }
      return assumed['create.status'] === 200 ? { ...result, passed: false, outcome: 'timed out after 60 s' } : result
    }
    const { broken } = await report(only('create.status'), hangs)
    expect(broken).toMatchObject([{ outcome: 'timed out after 60 s' }])
  })
})
