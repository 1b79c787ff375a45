import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { causesIn, parseVaryReport } from '../support/vary-report.ts'
import { bundleSuite } from './support/bundled-suite.ts'
import { finish, type RunOptions, root, run, stopAll } from './support/cli.ts'
import { listenForProcesses } from './support/processes.ts'
import { python, skipsPytest } from './support/pytest.ts'

const folder = await openFolder()
afterEach(stopAll)

const suite = (script: string): string[] => ['--', process.execPath, '--input-type=module', '-e', script]

const headers = "{ authorization: 'Bearer carol', 'content-type': 'application/json' }"
const requests = `
  const base = process.env.PLANT_MOCK_URL
  const create = (id) => fetch(base + '/plants', { method: 'POST', headers: ${headers}, body: JSON.stringify({ id, name: 'Hoya', tag: 'climber' }) })`
const needsOk = suite(`${requests}\nif (!(await create(900)).ok) process.exit(3)`)

let clients = 0
const writeClient = async (tests: Readonly<Record<string, string>>): Promise<string[]> => {
  const file = join(folder, `client-${++clients}.test.mjs`)
  const texts = Object.entries(tests).map(([name, code]) => `test(${JSON.stringify(name)}, async () => { ${code} })`)
  const imports = "import { test } from 'node:test'\nimport assert from 'node:assert'"
  await writeFile(file, [imports, requests, ...texts, ''].join('\n'))
  return ['--', process.execPath, file]
}

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

const report = async (args: readonly string[], options: RunOptions = {}) =>
  parseVaryReport(await finish(['vary', '--reporter', 'json', ...args], options))

describe('plant-mock vary names the alternatives and the tests of', () => {
  it('a mock inside the test suite, through an environment variable', async () => {
    const mock = `const { createPlantMock } = await import('${root}dist/index.js'); const mock = createPlantMock()`
    const request = "mock.fetch('/plants?limit=x', { headers: { authorization: 'Bearer a' } })"
    const newest =
      "createPlantMock({ assume: { 'list.order': 'newest' }, fixtures: [{ id: 1, name: 'a', tag: 'b' }, { id: 2, name: 'c', tag: 'd' }] })"
    const list = "fetch('/plants', { headers: { authorization: 'Bearer a' } })"
    const client = {
      invalid: `${mock}; assert.equal((await ${request}).status, 400)`,
      'sets an assumption itself': `${mock}; assert.ok((await ${newest}.${list}).ok)`,
    }
    const only = ['error.invalidStatus', 'list.invalidLimit', 'list.order'].flatMap((id) => ['--only', id])
    const found = await report([...only, ...(await writeClient(client))])
    expect(causesIn(found)).toEqual(['error.invalidStatus=422: invalid', 'list.invalidLimit=ignore: invalid'])
    expect(found.fixed).toEqual(['list.order=newest', 'list.order=name', 'list.order=shuffled'])
  })

  it.skipIf(skipsPytest)('a test of pytest, by its class', async () => {
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
})

describe('plant-mock vary', () => {
  it('watches mocks in the tests whose plants are restored, cleared and kept in a file', async () => {
    const client = await writeClient({
      'restores plants': `
        const { startPlantMock } = await import('${root}dist/node.js')
        const { mock, url, close } = await startPlantMock({ persist: '${join(folder, 'kept.ndjson')}', fixtures: 'garden' })
        const restore = await mock.snapshot()
        await mock.plants.clear()
        const response = await fetch(url + '/plants', { headers: { authorization: 'Bearer a' } })
        assert.deepEqual(await response.json(), [])
        await restore()
        assert.ok((await mock.plants.all()).length > 5)
        await mock.replaceFixtures([])
        await close()`,
    })
    const { code, out } = await finish(['vary', '--only', 'create.status', ...client])
    expect([code, out]).toEqual([0, expect.stringContaining('1 run, 1 exchange')])
  })

  it('removes its temporary folders when no run failed', async () => {
    const temporary = await mkdtemp(join(folder, 'tmp-'))
    const { code } = await finish(['vary', '--only', 'create.status', ...needsOk], { env: { TMPDIR: temporary } })
    expect([code, await readdir(temporary)]).toEqual([0, []])
  })

  it('waits for no process that the command leaves behind with its output', async () => {
    const processes = await listenForProcesses()
    const stay = `${processes.script}.on('close', () => process.exit()).resume()`
    const script = `${requests}
      import { spawn } from 'node:child_process'
      spawn(process.execPath, ['-e', ${JSON.stringify(stay)}], { detached: true, stdio: 'inherit' })
      if ((await create(900)).status !== 201) process.exit(1)
      process.exit(0)`
    const found = await report(['--only', 'create.status', ...suite(script)])
    expect(causesIn(found)).toEqual(['create.status=200: '])
    processes.close()
  })
})

describe('plant-mock vary, stopped', () => {
  it('ends the command and its child processes, prints the results so far, and exits with 130', async () => {
    const processes = await listenForProcesses()
    const script = `
      import { createRequire } from 'node:module'
      import { spawn } from 'node:child_process'
      const require = createRequire(import.meta.url)
      await fetch(process.env.PLANT_MOCK_URL + '/plants')
      if (process.env.PLANT_MOCK_ASSUME.includes('"auth.status":403')) {
        spawn(process.execPath, ['-e', ${JSON.stringify(processes.script)}])
        ${processes.script}
      }`
    const { child, finished } = run(['vary', '--only', 'auth.status', ...suite(script)])
    await processes.connected(2)
    child.kill('SIGINT')
    const { code, out } = await finished
    expect([code, out.split('\n')[0]]).toEqual([130, 'No alternative was judged. Stopped before everything was tried.'])
    await processes.ended()
    processes.close()
  })
})

it('plant-mock vary finds exactly the two mistakes of a client', async () => {
  // Bundled without Vitest, because the start of Vitest would take most of a run.
  const command = await bundleSuite(`${root}test/package/mistaken/plants.test.ts`, join(folder, 'client.mjs'))
  const { broken } = await report(['--', ...command])
  const causes = broken.flatMap(({ assume }) => Object.keys(assume))
  expect([...new Set(causes)]).toEqual(['create.status', 'list.order'])
})
