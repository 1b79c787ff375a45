import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { brief, createProject } from './support/suite.ts'

const failing = (path: string) => `throw new Error('cannot load ${path}')\n`
const files = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'sh run.sh', plain: 'node program.js' } }),
  'run.sh': 'vitest run vitest/suite vitest/load vitest/killed && echo unreachable\n',
  'program.js': `console.log(process.execArgv.length, process.env.PLANT_MOCK_INSIDE_TESTS)\n`,

  'node/suite.test.js': `import test, { describe, before, afterEach, it } from 'node:test'
import assert from 'node:assert'
import { execFileSync } from 'node:child_process'
test('passes', () => {})
test('fails', () => assert.equal(1, 2))
test('parent', async (t) => { await t.test('child', () => {}) })
describe('suite', () => { it('same', () => {}); it('same', () => { throw new Error('second') }) })
describe('hooks', () => {
  describe('before', () => { before(() => { throw new Error('no setup') }); it('never', () => {}) })
  describe('after each', () => { afterEach(() => { throw new Error('no cleanup') }); it('one', () => {}) })
})
test('skips itself', (t) => t.skip('not now'))
test('to do', (t) => { t.todo(); throw new Error('not yet') })
test('skips a part', async (t) => { await t.test('left out', (t) => t.skip()) })
test('starts another program', () => { execFileSync(process.execPath, ['program.js']) })
`,
  'node/todo.test.js': `import test from 'node:test'\ntest('later', { todo: true }, () => { throw new Error('not yet') })\n`,
  'node/load.test.js': failing('node'),
  'node/plain.test.js': '',
  'node/killed.test.js': `import test from 'node:test'
test('kills its process', async () => { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}) })
`,

  'vitest.config.js': `export default { test: { reporters: ['tap-flat', { onTestRunEnd: () => console.log('inline reporter') }] } }\n`,
  'vitest/suite.test.js': `import { describe, it, expect, beforeAll, vi } from 'vitest'
let calls = 0
it('passes', () => { vi.useFakeTimers({ now: 0 }) })
it('fails', () => { expect(1).toBe(2) })
it('flaky', { retry: 1 }, () => { if (calls++ === 0) throw new Error('once') })
it.skip('skipped', () => {})
describe('hooks', () => { beforeAll(() => { throw new Error('no setup') }); it('never', () => {}) })
`,
  'vitest/load.test.js': failing('vitest'),
  'vitest/killed.test.js': `import { it } from 'vitest'
it('kills its process', async () => { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}) })
`,

  'playwright.config.js': `export default { testDir: 'playwright', retries: 1, reporter: 'dot', projects: [{ name: 'one' }, { name: 'two', grep: /passes/ }] }\n`,
  'playwright/suite.spec.js': `import { test, expect } from '@playwright/test'
test('passes', async () => { await test.step('step', () => {}) })
test('fails', () => { expect(1).toBe(2) })
test('flaky', ({}, { retry }) => { if (retry === 0) throw new Error('once') })
test('kills its process', async () => { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}) })
`,
  'playwright/load.spec.js': failing('playwright'),
}

const project = await createProject(files)

describe('the preload', () => {
  it('records the tests of node --test, and the hooks that fail', async () => {
    const { code, results } = await project.run(
      'node',
      '--test',
      'node/suite.test.js',
      'node/load.test.js',
      'node/plain.test.js',
    )
    expect(code).toBe(1)
    expect(brief(results)).toEqual([
      'failed | load.test.js > load.test.js | 1: cannot load node',
      'failed | suite.test.js > fails | 5: 1 == 2',
      'failed | suite.test.js > hooks > after each > one | 10: no cleanup',
      'failed | suite.test.js > hooks > before > before hook | 9: no setup',
      'failed | suite.test.js > suite > same (2) | 7: second',
      'passed | plain.test.js > plain.test.js',
      'passed | suite.test.js > parent',
      'passed | suite.test.js > parent > child',
      'passed | suite.test.js > passes',
      'passed | suite.test.js > skips a part',
      'passed | suite.test.js > starts another program',
      'passed | suite.test.js > suite > same',
      'skipped | suite.test.js > skips a part > left out',
      'skipped | suite.test.js > skips itself',
      'skipped | suite.test.js > to do',
    ])
    expect(results?.every(({ pid, start, end }) => pid !== undefined && start <= end)).toBe(true)
  })

  it('records no failure of a test that node:test lets fail, because it is to do', async () => {
    const { code, results } = await project.run('node', '--test', 'node/todo.test.js')
    expect([code, brief(results)]).toEqual([0, ['skipped | todo.test.js > later']])
  })

  it('records the tests of a program that uses node:test, and one that is killed', async () => {
    const { results } = await project.run('node', 'node/killed.test.js')
    expect(brief(results)).toEqual(['unended | killed.test.js > kills its process'])
  })

  it('records the tests of Vitest behind npm test, a file that does not load, and one whose worker is killed', async () => {
    const { code, out, results } = await project.run('npm', 'test')
    expect(code).toBe(1)
    expect(out).toContain('FAIL  vitest/suite.test.js > fails')
    expect(out).not.toContain('inline reporter')
    expect(brief(results)?.filter((text) => /(?:load|suite)\.test\.js/.test(text))).toEqual([
      'failed | load.test.js > load.test.js | 1: cannot load vitest',
      'failed | suite.test.js > fails | 4: expected 1 to be 2 // Object.is equality',
      'failed | suite.test.js > hooks > hook of the suite | 7: no setup',
      'passed | suite.test.js > flaky',
      'passed | suite.test.js > passes',
      'skipped | suite.test.js > hooks > never',
      'skipped | suite.test.js > skipped',
    ])
    expect(results?.every(({ start }) => Math.abs(start - Date.now()) < 60_000)).toBe(true)
    expect(results?.filter(({ outcome }) => outcome === 'unended').map(({ file }) => file)).toContain(
      `${project.folder}/vitest/killed.test.js`,
    )
  })

  it('records a file that does not load in a thread of Vitest, with the reporters of the command', async () => {
    const command = ['npx', 'vitest', 'run', '--reporter', 'dot', '--pool', 'threads', 'vitest/load']
    const { out, results } = await project.run(...command)
    expect(out).not.toContain('inline reporter')
    expect(brief(results)).toEqual(['failed | load.test.js > load.test.js | 1: cannot load vitest'])
  })

  it('records the tests of Playwright by project, with retries', async () => {
    const { out, results } = await project.run('npx', 'playwright', 'test', 'suite')
    expect(out).toContain('Running 5 tests')
    expect(brief(results)).toEqual([
      'failed | suite.spec.js > [one] fails | 3: expect(received).toBe(expected) // Object.is equality',
      'failed | suite.spec.js > [one] kills its process | 5: worker process exited unexpectedly (code=null, signal=SIGKILL)',
      'passed | suite.spec.js > [one] flaky',
      'passed | suite.spec.js > [one] passes',
      'passed | suite.spec.js > [two] passes',
    ])
  })

  it('records a file that does not load in Playwright', async () => {
    const { results } = await project.run('npx', 'playwright', 'test', 'load')
    expect(brief(results)).toContain('failed | load.spec.js > load.spec.js | 1: cannot load playwright')
  })

  it('leaves other programs alone', async () => {
    const { out, results, folder } = await project.run('npm', 'run', 'plain', '--silent')
    expect(out).toBe('0 undefined\n')
    expect(results).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })
})
