import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { causesIn, parseVaryReport } from '../support/vary-report.ts'
import { finish } from './support/cli.ts'
import { createProject } from './support/suite.ts'

const client = `const headers = { authorization: 'Bearer carol', 'content-type': 'application/json' }
const url = process.env.PLANT_MOCK_URL + '/plants'
const body = (id) => JSON.stringify({ id, name: 'Hoya', tag: 'climber' })
export const create = async (id) => (await fetch(url, { method: 'POST', headers, body: body(id) })).status
export const first = async () => (await (await fetch(url, { headers })).json())[0].name
`
const nodeTests = "import { test } from 'node:test'\nimport assert from 'node:assert'\nimport fs from 'node:fs'\n"
const clientOf = (folder: string) => `import { create, first } from '${folder}client.mjs'\n`
const sleeps = 'await new Promise((end) => setTimeout(end, 600_000))'

const files = {
  'client.mjs': client,
  'orchestrator.mjs': `import { spawn } from 'node:child_process'
const all = process.argv.slice(2).map((file) => spawn(process.execPath, [file], { stdio: 'inherit' }))
for (const one of all) one.on('exit', (code) => { if (code) { process.exitCode = 1; for (const other of all) other.kill() } })
`,
  'a.test.mjs': `${nodeTests}${clientOf('./')}test('creates', async () => { assert.equal(await create(900), 201) })\n`,
  'b.test.mjs': `${nodeTests}${clientOf('./')}test('lists', async () => {
  const [name, status] = [await first(), await create(901)]
  if (status !== 201) ${sleeps}
  assert.equal(name, 'Monstera deliciosa')
})\n`,
  'writes.test.mjs': `${nodeTests}${clientOf('./')}test('writes', async () => { fs.writeFileSync('cache', String(await create(900))) })\n`,
  'reads.test.mjs': `${nodeTests}test('reads', () => { assert.equal(fs.readFileSync('cache', 'utf8'), '201') })\n`,
  'leaves.test.mjs': `${nodeTests}${clientOf('./')}test('leaves', async () => {
  if (await create(900) !== 201) fs.writeFileSync('left', '')
  assert.ok(!fs.existsSync('left'))
})\n`,
  'passes.test.mjs': `${nodeTests}${clientOf('./')}test('passes', async () => { if (await create(900) !== 201) fs.writeFileSync('uncovered', '') })\n`,
  'threshold.mjs': `import fs from 'node:fs'\nif (fs.existsSync('uncovered')) { fs.rmSync('uncovered'); process.exitCode = 1 }\n`,
  // The padding makes a.test.js the largest file, which Vitest runs first.
  'vitest/a.test.js': `import { expect, it } from 'vitest'\n${clientOf('../')}it('creates', async () => { expect(await create(900)).toBe(201) })\n${'//\n'.repeat(200)}`,
  'vitest/b.test.js': `import { expect, it } from 'vitest'\n${clientOf('../')}it('lists', async () => { await create(901); expect(await first()).toBeTruthy() })\n`,
  'snapshots/a.test.js': `import { expect, it } from 'vitest'\n${clientOf('../')}it('creates', async () => {
  const status = await create(900)
  if (status !== 201) expect(status).toMatchSnapshot()
})\n`,
  'playwright.config.mjs': `export default { testDir: 'playwright', maxFailures: 1, workers: 2, fullyParallel: true }\n`,
  'playwright/a.spec.mjs': `import { expect, test } from '@playwright/test'\n${clientOf('../')}test('creates', async () => { expect(await create(900)).toBe(201) })
test('lists', async () => { if (await create(901) !== 201) ${sleeps}; expect(await first()).toBeTruthy() })
`,
}

const project = await createProject(files)

const vary = (only: readonly string[], ...command: readonly string[]) =>
  finish(['vary', '--reporter', 'json', ...only.flatMap((id) => ['--only', id]), '--', ...command], {
    cwd: project.folder,
    env: { CI: '' },
  })
const node = (...args: readonly string[]) => [process.execPath, ...args]

describe('plant-mock vary', () => {
  it('names the break of a test that reads what a test of another file has written', async () => {
    const tests = ['writes.test.mjs', 'reads.test.mjs']
    const found = await vary(['create.status'], 'sh', '-c', tests.map((file) => `node ${file}`).join(' && '))
    expect(causesIn(parseVaryReport(found))).toEqual(['create.status=200: reads'])
  })

  it('names the break of a package that an orchestrator kills under another alternative', async () => {
    const only = ['create.status', 'list.order=newest']
    const found = parseVaryReport(await vary(only, ...node('orchestrator.mjs', 'a.test.mjs', 'b.test.mjs')))
    expect([causesIn(found), found.flaky]).toEqual([['create.status=200: creates', 'list.order=newest: lists'], []])
  })

  it('judges nothing by a command that fails although its tests pass', async () => {
    const { code, out, error } = await vary(['create.status'], 'sh', '-c', 'node passes.test.mjs && node threshold.mjs')
    expect([code, JSON.parse(out)]).toMatchObject([2, { broken: [], notJudged: ['create.status=200'] }])
    expect(error).toContain('failed: exit code 1, although 1 test passed and none failed')
  })

  it.each([
    ['vitest --bail=1', ['npx', 'vitest', 'run', '--bail=1', '--no-file-parallelism', 'vitest/']],
    ['maxFailures of Playwright', ['npx', 'playwright', 'test']],
  ])('does not name tests that %s cancels', async (_, command) => {
    const found = parseVaryReport(await vary(['create.status'], ...command))
    expect(causesIn(found).map((cause) => cause.replace(/\[\w*\] /, ''))).toEqual(['create.status=200: creates'])
  })

  it('lets vitest write no snapshot, so that a missing one is a break', async () => {
    const found = parseVaryReport(await vary(['create.status'], 'npx', 'vitest', 'run', 'snapshots/'))
    expect(causesIn(found)).toEqual(['create.status=200: creates'])
  })

  it('names the files when the unchanged suite fails after the runs, and gives no verdict', async () => {
    const { run, folder } = project
    await writeFile(join(folder, '.gitignore'), 'node_modules\nevidence-*\n')
    await run('git', 'init', '-q')
    const { code, out, error } = await vary(['create.status'], ...node('leaves.test.mjs'))
    expect([code, JSON.parse(out)]).toMatchObject([2, { verdict: expect.stringContaining('left something behind') }])
    expect(error).toMatch(/Failed: leaves\. Changed files: left\. /)
  })
})
