import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleSuite } from './support/bundled-suite.ts'
import { finish, type RunOptions, root, run, serve, stopAll } from './support/cli.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(stopAll)

/** A client's test suite as a script, against the server at `PLANT_MOCK_URL`. Its tests are not known. */
const suite = (script: string): string[] => ['--', process.execPath, '--input-type=module', '-e', script]

const headers = "{ authorization: 'Bearer carol', 'content-type': 'application/json' }"
const requests = `
  const base = process.env.PLANT_MOCK_URL
  const create = (id, extra = {}) => fetch(base + '/plants', { method: 'POST', headers: ${headers}, body: JSON.stringify({ id, name: 'Hoya', tag: 'climber', ...extra }) })
  const list = async (query = '') => (await fetch(base + '/plants' + query, { headers: ${headers} })).json()`
const needs201 = suite(`${requests}
  const response = await create(900)
  if (response.status !== 201) throw new Error('not created: ' + response.status)`)
const needsOk = suite(`${requests}\nif (!(await create(900)).ok) process.exit(3)`)

/** Tests of a client: names with their code. Each is a file for node:test, with several tests. One needs no runner. */
type Client = Readonly<Record<string, Readonly<Record<string, string>>>>

let clients = 0
/** Writes the tests of a client; returns the command that runs them. */
const writeClient = async (client: Client): Promise<string[]> => {
  const path = join(folder, `client-${++clients}`)
  await mkdir(path)
  for (const [file, tests] of Object.entries(client)) {
    const texts = Object.entries(tests).map(([name, code]) => `test(${JSON.stringify(name)}, async () => { ${code} })`)
    const imports = "import { test } from 'node:test'\nimport assert from 'node:assert'"
    await writeFile(join(path, `${file}.test.mjs`), [imports, requests, ...texts, ''].join('\n'))
  }
  const files = Object.keys(client).map((file) => join(path, `${file}.test.mjs`))
  return ['--', process.execPath, ...(files.length > 1 ? ['--test'] : []), ...files]
}

const python = 'python3'

/** Whether to skip the test of pytest: it is not installed, and `PLANT_MOCK_PYTEST` is not `required`. */
const skipsPytest = (): boolean =>
  spawnSync(python, ['-m', 'pytest', '--version']).status !== 0 && process.env.PLANT_MOCK_PYTEST !== 'required'

const pytestClient = `
import json, os, urllib.request

def create(id):
    body = json.dumps({"id": id, "name": "Hoya", "tag": "climber"}).encode()
    headers = {"Authorization": "Bearer carol", "Content-Type": "application/json"}
    return urllib.request.urlopen(urllib.request.Request(os.environ["PLANT_MOCK_URL"] + "/plants", body, headers))

class TestCreate:
    def test_responds(self):
        assert create(900)
    def test_created(self):
        assert create(901).status == 201
`

type Test = { readonly name: string; readonly file: string; readonly line?: number; readonly message?: string }
type JsonReport = {
  readonly exchanges: number
  readonly runs: number
  readonly broken: readonly {
    readonly assume: Readonly<Record<string, unknown>>
    readonly tests: readonly Test[]
    readonly outcome?: string
    readonly output?: string
    readonly relies: string
    readonly repeat: string
  }[]
  readonly flaky: readonly Test[]
  readonly passed: readonly string[]
  readonly notMet: readonly string[]
  readonly fixed: readonly string[]
}
const report = async (args: readonly string[], options: RunOptions = {}): Promise<JsonReport> => {
  const { out, error } = await finish(['vary', '--reporter', 'json', ...args], options)
  if (out === '') throw new Error(error)
  return JSON.parse(out) as JsonReport
}
/** `create.status=200` for each cause, with the names of the tests that it breaks. */
const causesIn = ({ broken }: JsonReport): readonly string[] =>
  broken
    .map(({ assume, tests }) => {
      const set = Object.entries(assume).map(([id, value]) => `${id}=${value}`)
      return `${set.join(' ')}: ${tests.map(({ name }) => name).join(', ')}`
    })
    .toSorted()

const okTests = {
  'lists plants': 'assert.ok(Array.isArray(await list()))',
  'limits a list': "assert.equal((await list('?limit=2')).length, 2)",
  'creates a plant': 'assert.ok((await create(900)).ok)',
  'refuses a second plant with the id': 'await create(901); assert.ok([true, false].includes((await create(901)).ok))',
  'needs a token': "assert.ok(!(await fetch(base + '/plants')).ok)",
}
const needsOrder = "assert.equal((await list())[0].name, 'Monstera deliciosa')"
const orders = (name: string) =>
  ['list.order=name', 'list.order=newest', 'list.order=shuffled'].map((key) => `${key}: ${name}`)

describe('plant-mock vary names the alternatives and the tests of', () => {
  it.each<[string, Client, number, readonly string[]]>([
    [
      'two mistakes of one test, where the first hides the second',
      { a: { both: `assert.equal((await create(905)).status, 201); ${needsOrder}` } },
      16,
      ['create.status=200: both', ...orders('both')],
    ],
    [
      'a mistake that shows only under two alternatives together',
      {
        a: {
          both: "const { status } = await create(905); const [first] = await list(); assert.ok(status !== 200 || first.name !== 'Hoya')",
        },
      },
      24,
      ['create.status=200 list.order=newest: both'],
    ],
  ])('%s', async (_, client, max, causes) => {
    const only = ['create.status', 'list.order', 'json.keyOrder'].flatMap((id) => ['--only', id])
    const found = await report([...only, ...(await writeClient(client))])
    expect({ causes: causesIn(found), flaky: found.flaky }).toEqual({ causes, flaky: [] })
    expect(found.runs).toBeLessThanOrEqual(max)
  })

  it('a mock inside the test suite, through an environment variable', async () => {
    const mock = `const { createPlantMock } = await import('${root}dist/index.js'); const mock = createPlantMock()`
    const request = "mock.fetch('/plants?limit=x', { headers: { authorization: 'Bearer a' } })"
    const client = { a: { invalid: `${mock}; assert.equal((await ${request}).status, 400); assert.ok(!base)` } }
    const only = ['--only', 'error.invalidStatus', '--only', 'list.invalidLimit']
    const found = await report(['--no-server', ...only, ...(await writeClient(client))])
    expect(causesIn(found)).toEqual(['error.invalidStatus=422: invalid', 'list.invalidLimit=ignore: invalid'])
  })

  it('the sessions of the server', async () => {
    const inSession = requests.replace("'content-type'", "'plant-mock-session': 'one', 'content-type'")
    const script = `${inSession}\nif ((await create(900)).status !== 201) process.exit(1)`
    expect(causesIn(await report(['--only', 'create.status', ...suite(script)]))).toEqual(['create.status=200: '])
  })

  it('a command whose tests are not known', async () => {
    const found = await report(['--only', 'create.status', '--only', 'json.keyOrder', ...needs201])
    expect(found.broken).toMatchObject([{ assume: { 'create.status': 200 }, tests: [], outcome: 'exit code 1' }])
    expect(found.passed).toEqual(['json.keyOrder=tag-name'])
  })

  it.each(['utf8', 'utf16le'])('a command that writes a JUnit report (%s)', async (encoding) => {
    const file = join(folder, `results-${encoding}.xml`)
    const script = `${requests}
      import { writeFileSync } from 'node:fs'
      const { status } = await create(900)
      const failure = status === 201 ? '' : '<failure message="not created: ' + status + '"/>'
      const testCase = '<testcase classname="tests.test_plants" name="test_create" file="tests/test_plants.py" line="7">'
      writeFileSync(${JSON.stringify(file)}, '${encoding === 'utf8' ? '' : String.fromCharCode(0xfeff)}<testsuites><testsuite name="pytest">' + testCase + failure + '</testcase></testsuite></testsuites>', '${encoding}')
      process.exit(status === 201 ? 0 : 1)`
    const { broken } = await report(['--results', file, '--only', 'create.status', ...suite(script)])
    expect(broken).toMatchObject([
      { tests: [{ name: 'test_create', file: 'tests/test_plants.py', message: 'not created: 200' }] },
    ])
  })

  it.skipIf(skipsPytest())('a test of pytest, by its class', async () => {
    const cwd = await mkdtemp(join(folder, 'pytest-'))
    await writeFile(join(cwd, 'test_create.py'), pytestClient)
    const command = ['--', python, '-m', 'pytest', '-q', '--junitxml=results.xml']
    const { broken } = await report(['--results', 'results.xml', '--only', 'create.status', ...command], { cwd })
    expect(broken).toMatchObject([
      {
        tests: [
          {
            name: 'TestCreate > test_created',
            file: 'test_create.py',
            line: 13,
            message: expect.stringContaining('assert 200 == 201'),
          },
        ],
      },
    ])
  })

  it('a client that does not fit the base', async () => {
    const client = { a: { status: 'assert.equal((await create(905)).status, 200)' } }
    const base = ['--assume', 'create.status=200', '--only', 'create.status']
    const found = await report([...base, ...(await writeClient(client))])
    expect(causesIn(found)).toEqual(['create.status=201: status'])
    expect(found.broken[0]?.relies).toContain('rely on create.status=200 (OK)')
  })
})

describe('plant-mock vary finds a mistake', () => {
  const only = ['--no-server', '--only', 'create.status']
  const mock = (options = '') =>
    `const { createPlantMock } = await import('${root}dist/index.js'); const mock = createPlantMock(${options})`
  const created = `mock.fetch('/plants', { method: 'POST', headers: ${headers}, body: '{"id":7,"name":"a","tag":"b"}' })`
  const check = (status: number) =>
    `${mock()}; const { status } = await ${created}; if (status !== ${status}) process.exit(1)`

  it('in a second command, after the last test', async () => {
    const [, ...tests] = await writeClient({ a: { list: `${mock()}; await mock.fetch('/plants')` } })
    const script = join(folder, 'smoke.mjs')
    await writeFile(script, check(201))
    const both = `${tests.map((word) => `'${word}'`).join(' ')} && '${process.execPath}' '${script}'`
    expect(causesIn(await report([...only, '--', 'sh', '-c', both]))).toEqual(['create.status=200: '])
  })

  it('whose exit code a pipe hides', async () => {
    const [, ...tests] = await writeClient({ a: { status: `${mock()}; assert.equal((await ${created}).status, 201)` } })
    const piped = `${tests.map((word) => `'${word}'`).join(' ')} | cat`
    expect(causesIn(await report([...only, '--', 'sh', '-c', piped]))).toEqual(['create.status=200: status'])
  })

  it('in a test that uses the answer of an earlier one', async () => {
    const cached = `${mock()}; globalThis.cached = (await ${created}).status`
    const uses = `${mock()}; await mock.fetch('/plants', { headers: ${headers} }); assert.equal(globalThis.cached, 201)`
    const client = await writeClient({ a: { first: cached, second: uses } })
    expect(causesIn(await report([...only, ...client]))).toEqual(['create.status=200: second'])
  })

  it('that only the default of the registry shows', async () => {
    const seeded = `${mock('{ assumptionSeed: 1, onNotice() {} }')}; assert.equal((await ${created}).status, 200)`
    const client = await writeClient({ a: { seeded } })
    const found = await report([...only, '--assume', 'create.status=200', ...client])
    expect(causesIn(found)).toEqual(['create.status=201: seeded'])
  })
})

describe('plant-mock vary', () => {
  it('reports the reliance, the test with line and message, the output, and a command to repeat it', async () => {
    const client = await writeClient({ a: { 'status of a create': 'assert.equal((await create(905)).status, 201)' } })
    const { code, out } = await finish(['vary', '--only', 'create.status', '--fixtures', 'empty', ...client])
    expect(code).toBe(1)
    expect(out).toMatch(/^create\.status {2}\(contract 4\.1\)$/m)
    expect(out).toMatch(/^ {2}The client seems to rely on .*201; the contract does not state that\.$/m)
    expect(out).toMatch(/^ {4}\S*a\.test\.mjs:\d+ {2}status of a create$/m)
    expect(out).toMatch(/^ {6}.*200.*201/m)
    expect(out).toContain('Repeat  npx plant-mock vary --fixtures empty --only create.status=200 -- ')
    expect(out).toMatch(/^\d+ runs, \d+ exchanges\. 1 alternative of 1 tried breaks the client: create\.status\.$/m)
    const [, output = ''] = /Output {2}(\S+)/.exec(out) ?? []
    expect(readFileSync(output, 'utf8')).toContain('status of a create')
  })

  it('exits with 0 when nothing breaks, and says what was not met', async () => {
    const { code, out, error } = await finish(['vary', ...needsOk])
    expect([code, out]).toEqual([0, expect.stringMatching(/^\d runs, \d exchanges\. None of the \d alternatives that/)])
    expect(out).toMatch(
      /^\d+ not met \(no answer would have been another\): create\.required=.*list\.order=newest\|name/m,
    )
    expect(error).toMatch(/^Baseline passed, 1 exchange, .* \d of 29 alternatives would show in an answer\.\nrun 2 {2}/)
  })

  it('does not call a flaky test reliant', async () => {
    const counter = join(folder, 'counter')
    const flaky = `await list(); const fs = await import('node:fs'); fs.appendFileSync(${JSON.stringify(counter)}, '.'); assert.notEqual(fs.readFileSync(${JSON.stringify(counter)}, 'utf8').length, 2)`
    const only = ['--only', 'create.status', '--only', 'list.order']
    const { broken, flaky: found } = await report([
      ...only,
      ...(await writeClient({ a: { ...okTests, sometimes: flaky } })),
    ])
    expect([broken, found.map(({ name }) => name)]).toEqual([[], ['sometimes']])
  })

  it('runs only the files that can notice an alternative, where the command takes files', async () => {
    const log = join(folder, 'files')
    const note = (file: string) => `(await import('node:fs')).appendFileSync(${JSON.stringify(log)}, '${file}\\n');`
    const client = {
      list: { order: `${note('list')} ${needsOrder}` },
      create: { create: `${note('create')} assert.ok((await create(900)).ok)` },
    }
    const only = ['--only', 'create.status', '--only', 'list.order']
    const found = await report([...only, ...(await writeClient(client))])
    expect(causesIn(found)).toEqual(orders('order'))
    const files = readFileSync(log, 'utf8').trim().split('\n')
    expect(files.filter((file) => file === 'create').length).toBeLessThan(
      files.filter((file) => file === 'list').length,
    )
  })

  it('names assumptions that the tests set themselves', async () => {
    const mock = `const { createPlantMock } = await import('${root}dist/index.js')`
    const created =
      "createPlantMock({ assume: { 'list.order': 'newest' }, fixtures: [{ id: 1, name: 'a', tag: 'b' }, { id: 2, name: 'c', tag: 'd' }] })"
    const request = "fetch('/plants', { headers: { authorization: 'Bearer a' } })"
    const client = await writeClient({ a: { newest: `${mock}; assert.ok((await ${created}.${request}).ok)` } })
    const { fixed, broken } = await report(['--no-server', '--only', 'list.order', ...client])
    expect([fixed, broken]).toEqual([['list.order=newest', 'list.order=name', 'list.order=shuffled'], []])
  })

  it('starts each run with the same plants, whatever the previous run created', async () => {
    const script = `${requests}\nif ((await create(900)).status === 409) process.exit(1)`
    const { broken, runs } = await report(['--only', 'json.keyOrder', '--only', 'create.status', ...suite(script)])
    expect([broken, runs]).toEqual([[], 2])
  })

  it('tries further values only with --thorough', async () => {
    const args = ['--only', 'create.duplicateStatus', ...needsOk]
    expect((await report(args)).notMet).not.toContain('create.duplicateStatus=422')
    expect((await report(['--thorough', ...args])).notMet).toContain('create.duplicateStatus=422')
  })

  it('has one alternative in each run with --each, and tries all with --all', async () => {
    const selected = ['--only', 'create.status', '--only', 'json.keyOrder', '--only', 'list.order']
    expect((await report([...selected, '--each', ...needsOk])).runs).toBe(3)
    expect((await report([...selected, '--all', ...needsOk])).notMet).toEqual([])
  })

  it('runs several at the same time with --jobs', async () => {
    const found = await report(['--jobs', '2', '--only', 'create.status', '--only', 'list.order', ...needs201])
    expect(causesIn(found)).toEqual(['create.status=200: '])
  })

  it('keeps only the output of failed runs, in the given folder', async () => {
    const output = join(folder, 'a', 'b')
    await report(['--output', output, '--only', 'create.status', ...needs201])
    expect((await readdir(output)).every((name) => /^run_\d+_create\.status=200\.log$/.test(name))).toBe(true)
  })

  it('removes its temporary folders when no run failed', async () => {
    const temporary = await mkdtemp(join(folder, 'tmp-'))
    const { code } = await finish(['vary', '--only', 'create.status', ...needsOk], { env: { TMPDIR: temporary } })
    expect([code, await readdir(temporary)]).toEqual([0, []])
  })

  it('reports as JUnit XML, with a case for each alternative', async () => {
    const ids = ['create.status', 'json.keyOrder', 'list.zeroLimit'].flatMap((id) => ['--only', id])
    const { code, out } = await finish(['vary', '--reporter', 'junit', ...ids, ...needs201])
    expect(code).toBe(1)
    expect(out).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="3" failures="1" /)
    expect(out).toMatch(
      /<testcase classname="contract 4\.1" name="create\.status=200"><failure message="The client seems/,
    )
    expect(out).toMatch(/<testcase classname="contract 2" name="json\.keyOrder=tag-name"\/>/)
    expect(out).toMatch(/name="list\.zeroLimit=reject"><skipped message="not met/)
  })

  it('waits for no process that the command leaves behind with its output', async () => {
    const script = `${requests}
      import { spawn } from 'node:child_process'
      const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'inherit' })
      console.log('left ' + pid)
      if ((await create(900)).status !== 201) process.exit(1)
      process.exit(0)`
    const output = join(folder, 'left-behind')
    const found = await report(['--output', output, '--only', 'create.status', ...suite(script)])
    expect(causesIn(found)).toEqual(['create.status=200: '])
    for (const name of await readdir(output))
      for (const [, pid] of readFileSync(join(output, name), 'utf8').matchAll(/^left (\d+)$/gm))
        process.kill(Number(pid))
  })

  it('says that nothing is known where the command itself is flaky', async () => {
    const counter = join(folder, 'flaky-command')
    const script = `${requests}
      import { appendFileSync, readFileSync } from 'node:fs'
      await create(900)
      appendFileSync(${JSON.stringify(counter)}, '.')
      if (readFileSync(${JSON.stringify(counter)}, 'utf8').length === 2) process.exit(1)`
    const { out } = await finish(['vary', '--only', 'create.status', ...suite(script)])
    expect(out).toContain('The command is flaky, so that nothing is known about 1 alternative')
    expect(out).not.toContain('breaks it')
  })

  it('ends a run at its timeout and counts it as failed', async () => {
    const script = `${requests}\nif ((await create(900)).status === 200) setInterval(() => {}, 1000)`
    const { broken } = await report(['--timeout', '1', '--only', 'create.status', ...suite(script)])
    expect(broken).toMatchObject([{ outcome: 'timed out after 1 s' }])
  })
})

describe('without evidence, plant-mock vary exits with 2', () => {
  it('when no request reached the mock', async () => {
    const { code, out, error } = await finish(['vary', '--', 'true'])
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(/No request reached the mock, .* Check that the suite sends its requests to .*PLANT_MOCK_URL/)
  })

  it('when handlers of the suite reply instead of the mock', async () => {
    const script = 'globalThis.fetch = async () => Response.json([]); await fetch(process.env.PLANT_MOCK_URL)'
    expect((await finish(['vary', ...suite(script)])).code).toBe(2)
  })

  it('when the suite replaces the assumptions', async () => {
    const script = `delete process.env.PLANT_MOCK_ASSUME
      const { createPlantMock } = await import('${root}dist/index.js')
      await createPlantMock().fetch('/plants', { headers: { authorization: 'Bearer a' } })`
    const { code, out } = await finish(['vary', '--no-server', '--only', 'json.contentType', ...suite(script)])
    expect(code).toBe(2)
    expect(out).toContain('In force without any answer that showed it: json.contentType=charset.')
  })

  it('when a later run is a cached result', async () => {
    const cache = join(folder, 'cache')
    const script = `${requests}
      import { existsSync, writeFileSync } from 'node:fs'
      if (!existsSync(${JSON.stringify(cache)})) await create(900)
      writeFileSync(${JSON.stringify(cache)}, '')`
    const { code, error } = await finish(['vary', ...suite(script)])
    expect(code).toBe(2)
    expect(error).toContain('A later run passed without a request to the mock')
    expect(existsSync(cache)).toBe(true)
  })
})

describe('plant-mock vary, stopped', () => {
  it('ends the command and its child processes, prints the results so far, and exits with 130', async () => {
    // Both processes connect here and stay; a closed connection shows that a process has ended.
    const calls: Socket[] = []
    const listener = createServer((socket) => calls.push(socket))
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const call = `require('node:net').connect(${(listener.address() as AddressInfo).port}, '127.0.0.1')`
    const script = `
      import { createRequire } from 'node:module'
      import { spawn } from 'node:child_process'
      const require = createRequire(import.meta.url)
      await fetch(process.env.PLANT_MOCK_URL + '/plants')
      if (process.env.PLANT_MOCK_ASSUME.includes('"auth.status":403')) {
        spawn(process.execPath, ['-e', ${JSON.stringify(call)}])
        ${call}
      }`
    const { child, finished } = run(['vary', '--only', 'auth.status', ...suite(script)])
    while (calls.length < 2) await once(listener, 'connection')
    const ended = Promise.all(calls.map((socket) => once(socket.on('error', () => undefined).resume(), 'close')))
    child.kill('SIGINT')
    const { code, out } = await finished
    expect([code, out.split('\n')[0]]).toEqual([130, 'Stopped before everything was tried.'])
    await ended
    listener.close()
  })
})

describe('wrong usage of plant-mock vary', () => {
  it.each([
    [['vary'], /The test command is missing\. Put it after --/],
    [
      ['vary', '--only', 'create.statsu', '--', 'true'],
      /Unknown assumption "create\.statsu"\. Did you mean "create\.status"/,
    ],
    [['vary', '--only', 'create.status=418', '--', 'true'], /create\.status cannot be "418"/],
    [['vary', '--only', 'list.status', '--', 'true'], /Nothing to vary: --only names no alternative/],
    [['vary', '--jobs', '0', '--', 'true'], /--jobs must be a number from 1 to 64/],
    [['vary', '--reporter', 'xml', '--', 'true'], /--reporter must be one of text, json, junit/],
    [['vary', '--results', tmpdir(), '--', 'touch', tmpdir()], /Failed to read \S+, the file of --results: EISDIR/],
    [['vary', '--results', 'a.xml', '--jobs', '2', '--', 'true'], /--results and --jobs exclude each other/],
    [['vary', '--port', '4010', '--jobs', '2', '--', 'true'], /--port and --jobs exclude each other/],
    [['vary', '--', 'no-such-program-anywhere'], /fails without variations \(could not be started/],
    [
      ['vary', '--', process.execPath, '-e', 'process.exit(4)'],
      /fails without variations \(exit code 4\)\. Fix it first\. Output: \S+run_2_unchanged\.log/,
    ],
    [['--', 'true'], /Unexpected argument "--"\. Only "plant-mock run" and "plant-mock vary" run a command/],
    [
      ['vary', 'npx', 'vitest', '-t', 'a b'],
      /Unexpected argument "npx"\. Put -- in front of the command: plant-mock vary -- npx vitest -t 'a b'\n/,
    ],
  ])('%j exits with 2', async (args, message) => {
    const { code, out, error } = await finish(args)
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(message)
  })
})

describe('a port that is taken', () => {
  it('makes vary exit with 2, because 1 is a verdict on the client', async () => {
    const { url } = await serve()
    const { code, error } = await finish(['vary', '--port', new URL(url).port, '--', 'true'])
    expect([code, error]).toEqual([2, expect.stringMatching(/ is taken\. Port \d+ is free: --port \d+\n$/)])
  })
})

describe('the worked example', () => {
  const example = (name: string) => `${root}test/example/${name}`
  const broken = async (...args: string[]) => {
    const { broken } = await report(args)
    return [...new Set(broken.flatMap(({ assume }) => Object.keys(assume)))]
  }

  /** The tests of the example under every variation: without Vitest, whose start takes most of a run. */
  const brokenByAny = async (name: string) =>
    broken('--', ...(await bundleSuite(`${example(name)}/plants.test.ts`, join(folder, `${name}.mjs`))))

  it('has two mistakes, and vary finds exactly those two', async () => {
    expect(await brokenByAny('mistaken')).toEqual(['create.status', 'list.order'])
  })

  it('has a mistake that vary finds in a run of Vitest', async () => {
    const vitest = [process.execPath, `${root}node_modules/vitest/vitest.mjs`, 'run', '--root', example('mistaken')]
    expect(await broken('--only', 'create.status', '--', ...vitest)).toEqual(['create.status'])
  })

  it('passes under every variation once they are fixed', async () => {
    expect(await brokenByAny('mended')).toEqual([])
  })
})
