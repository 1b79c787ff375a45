import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as main from 'plant-mock'
import * as control from 'plant-mock/control'
import * as fixtures from 'plant-mock/fixtures'
import * as msw from 'plant-mock/msw'
import * as node from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { openFolder } from '../support/folder.ts'
import { as } from '../support/targets.ts'
import { root } from './support/cli.ts'

const load = createRequire(import.meta.url)

const imported = { main, control, fixtures, msw, node }
const required: typeof imported = {
  main: load('plant-mock'),
  control: load('plant-mock/control'),
  fixtures: load('plant-mock/fixtures'),
  msw: load('plant-mock/msw'),
  node: load('plant-mock/node'),
}

const folder = await openFolder()

const dual = Object.entries(packageJson.exports).flatMap(([name, target]) =>
  typeof target === 'object' && 'require' in target ? [{ name, ...target }] : [],
)

describe('require', () => {
  it.each(dual)('gives the names that import gives for $name', async ({ name, import: { default: file } }) => {
    const names = Object.keys((await import(`${root}${file}`)) as object).sort()
    expect(Object.keys(load(`plant-mock${name.slice(1)}`) as object).sort()).toEqual(names)
  })

  it('loads files of CommonJS, and no ES module', () => {
    const loaded = Object.keys(load.cache).filter((file) => file.startsWith(`${root}dist/`))
    expect(loaded).toContain(`${root}dist/index.cjs`)
    expect(loaded.filter((file) => !file.endsWith('.cjs'))).toEqual([])
  })
})

it.each([
  [
    'is missing',
    '',
    /^plant-mock needs msw here\. Install it: npm install --save-dev msw\. With Jest, also set preset: 'plant-mock'/,
  ],
  ['is not compiled', 'import "x"', /^Jest cannot load the ES modules of msw\. Set preset: 'plant-mock' in/],
])('require says in Jest what to do if msw %s', async (name, msw, message) => {
  const home = join(folder, name)
  await cp(`${root}dist`, join(home, 'dist'), { recursive: true })
  await writeFile(join(home, 'package.json'), '{}')
  await mkdir(join(home, 'node_modules/msw'), { recursive: true })
  await writeFile(join(home, 'node_modules/msw/package.json'), '{}')
  if (msw !== '')
    for (const file of ['index.js', 'node.js']) await writeFile(join(home, 'node_modules/msw', file), `${msw}\nthrow 1`)
  const script = 'try { require("./dist/jest.cjs") } catch (error) { console.log(error.message) }'
  const env = {
    ...process.env,
    JEST_WORKER_ID: '1',
    NODE_OPTIONS: '--no-experimental-detect-module --no-experimental-require-module',
  }
  const { stdout } = await promisify(execFile)('node', ['-e', script], { cwd: home, env })
  expect(stdout).toMatch(message)
})

describe.each([
  ['CommonJS', 'an ES module', required, imported],
  ['an ES module', 'CommonJS', imported, required],
])('with a mock of %s and the rest of %s', (_, __, ours, theirs) => {
  it('a server responds, and refuses a body that is too large', async () => {
    const mock = ours.main.createPlantMock({ assume: { 'body.maxSize': 100 } })
    const { url, close } = await theirs.node.startPlantMock({ mock })
    const { headers } = as('alice')
    const create = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' } }
    const body = JSON.stringify({ id: 1, name: 'x'.repeat(200), tag: 'fern' })
    expect((await fetch(`${url}/plants`, { ...create, body })).status).toBe(413)
    expect((await fetch(`${url}/plants`, { ...create, body: '{"id":1,"name":"Aloe","tag":"fern"}' })).status).toBe(201)
    await close()
  })

  it('an invalid control request is answered 400, and its error is one of either', async () => {
    const { url, close } = await theirs.node.startPlantMock({ mock: ours.main.createPlantMock() })
    const invalid = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"plants":[{"tag":"fern"}]}',
    }
    expect((await fetch(`${url}/__plant-mock/plants`, invalid)).status).toBe(400)
    const error: unknown = await ours.control
      .connectPlantMock(url)
      .seed([{ tag: 'fern' } as never])
      .catch((reason: unknown) => reason)
      .finally(close)
    expect(error).toBeInstanceOf(theirs.main.PlantMockError)
  })

  it('errors are instances of the classes of both, and of no other class', async () => {
    const error = await ours.control
      .connectPlantMock('http://127.0.0.1:2')
      .reset()
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(theirs.control.UnreachableError)
    expect(error).toBeInstanceOf(theirs.main.PlantMockError)
    class OwnError extends theirs.main.PlantMockError {}
    expect(error).not.toBeInstanceOf(OwnError)
    expect(new OwnError('')).toBeInstanceOf(ours.main.PlantMockError)
    expect(new ours.main.PlantMockError('')).not.toBeInstanceOf(theirs.control.UnreachableError)
    expect(new Error('')).not.toBeInstanceOf(ours.main.PlantMockError)
  })

  it('a file of plants has one server', async () => {
    const persist = join(folder, `${ours === required}.ndjson`)
    const { close } = await ours.node.startPlantMock({ persist })
    await expect(theirs.node.startPlantMock({ persist })).rejects.toThrow('another server of this process')
    await close()
    await (await theirs.node.startPlantMock({ persist })).close()
  })
})

describe('both forms', () => {
  it('have the same mock behind the ready-made handlers', () => {
    expect(required.msw.plantMock).toBe(imported.msw.plantMock)
  })

  it('give each plant of aPlant() another id', () => {
    expect(required.fixtures.aPlant().id).not.toBe(imported.fixtures.aPlant().id)
  })

  const run = async (file: string, env: Readonly<Record<string, string>> = {}) => {
    const path = `${root}test/package/commonjs-samples/${file}`
    const { stdout } = await promisify(execFile)(process.execPath, [path], { env: { ...process.env, ...env } })
    return stdout
  }

  it('work together in a CommonJS file', async () => {
    expect(await run('mixed.cjs')).toBe('passed\n')
  })

  it('write the evidence of vary through one descriptor', async () => {
    await writeFile(join(folder, 'plan.json'), '{"changes":[]}')
    expect(
      await run('evidence.cjs', {
        PLANT_MOCK_EVIDENCE: folder,
        PLANT_MOCK_OBSERVER: `${root}dist/vary/observer.cjs`,
      }),
    ).toBe('1\n')
    const [file = ''] = (await readdir(folder)).filter((name) => name.startsWith('mock-'))
    const lines = (await readFile(join(folder, file), 'utf8')).trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['exchange', 'exchange'])
  })
})

describe('the CommonJS build', () => {
  it('has no import() in its files, which Jest cannot run', async () => {
    const files = (await readdir(`${root}dist`, { recursive: true })).filter((file) =>
      /^(?:chunks\/)?[\w-]+\.cjs$/.test(file),
    )
    const texts = await Promise.all(files.map((file) => readFile(`${root}dist/${file}`, 'utf8')))
    expect(files.filter((_, i) => /\bimport\(["'./]/.test(texts[i] ?? ''))).toEqual([])
  })
})
