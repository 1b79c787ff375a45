import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assumptionRegistry } from 'plant-mock'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleSuite } from './support/bundled-suite.ts'
import { finish, root, run, stopAll } from './support/cli.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(stopAll)

/** A client's test suite as a script, against the server at `PLANT_MOCK_URL`. */
const suite = (script: string): string[] => ['--', process.execPath, '--input-type=module', '-e', script]
const create = `
  const headers = { authorization: 'Bearer alice', 'content-type': 'application/json' }
  const body = JSON.stringify({ id: 900, name: 'Hoya', tag: 'climber' })
  const response = await fetch(process.env.PLANT_MOCK_URL + '/plants', { method: 'POST', headers, body })`
const needs201 = suite(`${create}\nif (response.status !== 201) throw new Error('not created: ' + response.status)`)
const needsOk = suite(`${create}\nif (!response.ok) process.exit(3)`)
/** Breaks under each of the three alternatives of list.order. */
const needsOrder = suite(`
  const response = await fetch(process.env.PLANT_MOCK_URL + '/plants', { headers: { authorization: 'Bearer carol' } })
  const [first] = await response.json()
  if (first.name !== 'Monstera deliciosa') throw new Error('first is ' + first.name)`)

const countAlternatives = (thorough: boolean) =>
  assumptionRegistry
    .filter(({ rare }) => thorough || !rare)
    .reduce(
      (sum, { alternatives, further, samples }) =>
        sum + alternatives.length + (thorough ? further.length + samples.length : 0),
      0,
    )

type JsonReport = {
  planned: number
  failed: number
  runs: {
    name: string
    passed: boolean
    outcome: string
    relies?: string[]
    output?: string
    repeat?: string
    section: string
  }[]
}
const report = async (...args: string[]): Promise<JsonReport> => {
  const { out, error } = await finish(['vary', '--reporter', 'json', '--jobs', '2', ...args])
  if (out === '') throw new Error(error)
  return JSON.parse(out) as JsonReport
}

describe('plant-mock vary', () => {
  it('exits with 0 when no variation breaks the client', { timeout: 60_000 }, async () => {
    const { code, out, error } = await finish(['vary', '--jobs', '2', ...needsOk])
    expect([code, out.split('\n').at(-2)]).toEqual([
      0,
      `None of ${countAlternatives(false)} variations breaks the client.`,
    ])
    expect(error).toMatch(
      /^Baseline passed in .*\. Trying 29 variations\.\n(run \d+ of 29 {2}\S+ {2}passed {2}.* \(about .* left\)\n){29}$/,
    )
  })

  it('reports the assumption that breaks the client, the reliance, the output, a command to repeat the run and its section', {
    timeout: 60_000,
  }, async () => {
    const { code, out } = await finish(['vary', '--only', 'create.status', '--only', 'list.order', ...needs201])
    expect(code).toBe(1)
    expect(out).toMatch(/^create\.status +200 +4\.1 +failed$/m)
    expect(out).toMatch(/^list\.order +newest +4\.2 +passed$/m)
    expect(out).toMatch(/^ {2}The client seems to rely on .*201; the contract does not state that\.$/m)
    expect(out).toMatch(/^create\.status {2}\(contract 4\.1\)$/m)
    expect(out.split('\n').slice(-3)).toEqual([
      '1 of 4 variations breaks the client: create.status.',
      'Read a section of the contract: npx plant-mock contract 4.1',
      '',
    ])
    const [, output = ''] = /Output {2}(\S+)/.exec(out) ?? []
    expect(readFileSync(output, 'utf8')).toContain('not created: 200')
    expect(out).toContain('Repeat  npx plant-mock vary --only create.status=200 -- ')
  })

  it('prints a command that repeats one run', { timeout: 60_000 }, async () => {
    const { runs } = await report('--only', 'create.status', '--fixtures', 'empty', ...needs201)
    const { repeat = '' } = runs[0] ?? {}
    expect(repeat).toMatch(/^npx plant-mock vary --fixtures empty --only create\.status=200 -- /)
    // Without the test command, whose quoting only a shell can undo.
    const args = repeat.slice('npx plant-mock '.length).split(' -- ')[0]?.split(' ') ?? []
    expect(await report(...args.slice(1), ...needs201)).toMatchObject({ planned: 1, failed: 1 })
  })

  it('varies mocks inside the test suite through an environment variable', { timeout: 60_000 }, async () => {
    const script = `
      import { createPlantMock } from '${root}dist/index.js'
      const mock = createPlantMock()
      const response = await mock.fetch('/plants?limit=x', { headers: { authorization: 'Bearer a' } })
      if (response.status !== 400 || process.env.PLANT_MOCK_URL) process.exit(1)`
    const { runs } = await report('--no-server', ...suite(script))
    expect(runs.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual([
      'list.invalidLimit=ignore',
      'error.invalidStatus=422',
    ])
  })

  it('starts each run with the same plants, whatever the previous run created', {
    timeout: 60_000,
  }, async () => {
    const script = `${create}\nif (response.status === 409) process.exit(1)`
    const { failed } = await report(
      '--only',
      'json.keyOrder',
      '--only',
      'list.status',
      '--only',
      'auth.status',
      ...suite(script),
    )
    expect(failed).toBe(0)
  })

  it('varies the sessions of the server too', { timeout: 60_000 }, async () => {
    const inSession = create.replace("'Bearer alice',", "'Bearer alice', 'plant-mock-session': 'one',")
    const { runs } = await report(
      '--only',
      'create.status',
      ...suite(`${inSession}\nif (response.status !== 201) throw new Error('not created: ' + response.status)`),
    )
    expect(runs.map(({ name, passed }) => [name, passed])).toEqual([['create.status=200', false]])
  })

  it('tries rare alternatives and further values only with --thorough', { timeout: 60_000 }, async () => {
    const { planned, runs } = await report('--thorough', '--', 'true')
    expect(planned).toBe(countAlternatives(true))
    expect(runs.map(({ name }) => name)).toContain('auth.tokens=listed')
  })

  it('reports the values that occur only in failed runs with --pairs', {
    timeout: 60_000,
  }, async () => {
    const { code, out } = await finish([
      'vary',
      '--pairs',
      '--jobs',
      '2',
      '--only',
      'create.status',
      '--only',
      'list.order',
      '--only',
      'json.keyOrder',
      ...needs201,
    ])
    expect(code).toBe(1)
    expect(out).toMatch(/Only in failed runs:\n {2}create\.status=200\n/)
  })

  it('tries the alternatives to assumptions that are set', { timeout: 60_000 }, async () => {
    const { runs } = await report(
      '--assume',
      'create.status=200',
      '--only',
      'create.status',
      ...suite(`${create}\nif (response.status !== 200) process.exit(1)`),
    )
    expect(runs).toMatchObject([{ name: 'create.status=201', passed: false }])
  })

  it('groups the failures of one assumption', { timeout: 60_000 }, async () => {
    const { out } = await finish([
      'vary',
      '--jobs',
      '2',
      '--only',
      'list.order',
      '--only',
      'json.keyOrder',
      ...needsOrder,
    ])
    expect(out.match(/The client seems to rely on/g)).toHaveLength(1)
    expect(out).toContain('3 of 4 variations break the client: list.order.')
  })

  it('keeps only the output of failed runs, in the given folder', { timeout: 60_000 }, async () => {
    const output = join(folder, 'a', 'b')
    await report('--output', output, '--only', 'create.status', '--only', 'json.keyOrder', ...needs201)
    expect(await readdir(output)).toEqual(['create.status=200.log'])
  })

  it('removes its temporary folder when no run failed', { timeout: 60_000 }, async () => {
    const { code } = await finish(['vary', '--only', 'create.status', ...needsOk], {
      env: { TMPDIR: folder },
    })
    expect(code).toBe(0)
    expect((await readdir(folder)).filter((name) => name.startsWith('plant-mock-vary-'))).toEqual([])
  })

  it('reports as JUnit XML', { timeout: 60_000 }, async () => {
    const { code, out } = await finish([
      'vary',
      '--reporter',
      'junit',
      '--only',
      'create.status',
      '--only',
      'json.keyOrder',
      ...needs201,
    ])
    expect(code).toBe(1)
    expect(out).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="2" failures="1" /)
    expect(out).toMatch(
      /<testcase classname="contract 4\.1" name="create\.status=200" time="[\d.]+"><failure message="exit code 1\. The client seems/,
    )
    expect(out).toMatch(/<testcase classname="contract 2" name="json\.keyOrder=tag-name" time="[\d.]+"\/>/)
  })

  it('ends a run at its timeout and counts it as failed', { timeout: 60_000 }, async () => {
    const script = `${create}\nif (response.status === 200) setInterval(() => {}, 1000)`
    const { runs } = await report('--timeout', '2', '--only', 'create.status', ...suite(script))
    expect(runs).toMatchObject([{ passed: false, outcome: 'timed out after 2 s' }])
  })
})

describe('plant-mock vary, stopped', () => {
  it('ends the command and its child processes, prints the results so far, and exits with 130', {
    timeout: 60_000,
  }, async () => {
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
      if (process.env.PLANT_MOCK_ASSUME.includes('auth.status=403')) {
        spawn(process.execPath, ['-e', ${JSON.stringify(call)}])
        ${call}
      }`
    const { child, finished } = run(['vary', '--only', 'create.status', '--only', 'auth.status', ...suite(script)])
    while (calls.length < 2) await once(listener, 'connection')
    const ended = Promise.all(calls.map((socket) => once(socket.on('error', () => undefined).resume(), 'close')))
    child.kill('SIGINT')
    const { code, out } = await finished
    expect([code, out.split('\n').at(-2)]).toEqual([
      130,
      'None of the 1 variation tried (2 planned) breaks the client.',
    ])
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
    [['vary', '--port', '4010', '--jobs', '2', '--', 'true'], /--port and --jobs exclude each other/],
    [['vary', '--', 'no-such-program-anywhere'], /fails without variations \(could not be started/],
    [
      ['vary', '--', process.execPath, '-e', 'process.exit(4)'],
      /fails without variations \(exit code 4\)\. Fix it first\. Output: \S+baseline\.log/,
    ],
    [['--', 'true'], /Unexpected argument "--"\. Only "plant-mock run" and "plant-mock vary" run a command/],
    [
      ['vary', 'npx', 'vitest', '-t', 'a b'],
      /Unexpected argument "npx"\. Put the command after --: plant-mock vary -- npx vitest -t 'a b'\n/,
    ],
  ])('%j exits with 2', async (args, message) => {
    const { code, out, error } = await finish(args)
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(message)
  })
})

describe('the worked example', () => {
  const example = (name: string) => `${root}test/example/${name}`
  const broken = async (...args: string[]) => {
    const { runs } = await report(...args)
    return [...new Set(runs.filter(({ passed }) => !passed).map(({ name }) => name.split('=')[0]))]
  }

  /** The tests of the example under every variation: without Vitest, whose start takes most of a run. */
  const brokenByAny = async (name: string) =>
    broken('--', ...(await bundleSuite(`${example(name)}/plants.test.ts`, join(folder, `${name}.mjs`))))

  it('has two mistakes, and vary finds exactly those two', { timeout: 60_000 }, async () => {
    expect(await brokenByAny('mistaken')).toEqual(['create.status', 'list.order'])
  })

  it('has two mistakes that vary finds in a run of Vitest', { timeout: 60_000 }, async () => {
    const vitest = [process.execPath, `${root}node_modules/vitest/vitest.mjs`, 'run', '--root', example('mistaken')]
    const alternatives = ['create.status', 'list.order=name', 'json.keyOrder'].flatMap((only) => ['--only', only])
    expect(await broken(...alternatives, '--', ...vitest)).toEqual(['create.status', 'list.order'])
  })

  it('passes under every variation once they are fixed', { timeout: 60_000 }, async () => {
    expect(await brokenByAny('mended')).toEqual([])
  })
})
