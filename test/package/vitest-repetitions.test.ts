import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ChangeKey } from '../../src/vary/evidence/plan.ts'
import { repetitionsIn } from '../../src/vary/suite/observe.ts'
import { readEvidence } from '../../src/vary/suite/read-evidence.ts'
import { causesIn, parseVaryReport } from '../support/vary-report.ts'
import { finish, root } from './support/cli.ts'
import { createProject } from './support/suite.ts'

const client = `import { createPlantMock } from '${root}dist/index.js'
export { createPlantMock }
const headers = { authorization: 'Bearer carol', 'content-type': 'application/json' }
export const create = async (mock) =>
  (await mock.fetch('/plants', { method: 'POST', headers, body: JSON.stringify({ id: 900, name: 'Hoya', tag: 'climber' }) })).status
`
const imports = `import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { create, createPlantMock } from '../client.mjs'
const creates = () => create(createPlantMock())
`

const tests: Readonly<Record<string, string>> = {
  passes: "test('passes', async () => { expect(await creates()).toBeLessThan(300) })",
  'needs 201': "test('needs 201', async () => { expect(await creates()).toBe(201) })",
  'needs failure': "test.fails('needs failure', async () => { expect(await creates()).toBe(200) })",
  retries: "test('retries', { retry: 1 }, async () => { expect(await creates()).toBe(201) })",
  'retry helps': `let tries = 0
test('retry helps', { retry: 1 }, async () => { await creates(); expect(++tries % 2).toBe(0) })`,
  'hooks > fail': `describe('hooks', () => {
  let status
  afterEach(() => { expect(status).toBe(201) })
  test('fail', async () => { status = await creates() })
})`,
  'teardown fails': `test('teardown fails', async () => {
  const status = await creates()
  onTestFinished(() => { expect(status).toBe(201) })
})`,
  'runs beside': `test.concurrent('runs beside', async () => { const mock = createPlantMock(); await new Promise(setImmediate); expect(await create(mock)).toBe(201) })
test.concurrent('another', async () => { const mock = createPlantMock(); await new Promise(setImmediate); expect(await create(mock)).toBeLessThan(300) })`,
  'times out':
    "test('times out', { timeout: 1_000 }, async () => { if (await creates() !== 201) await new Promise(() => {}) })",
  skips: "test('skips', async ({ skip }) => { if (await creates() !== 201) skip() })",
  'caches replies': "let cached\ntest('caches replies', async () => { expect(cached ??= await creates()).toBe(201) })",
  'shared > mock': `describe('shared', () => {
  let mock
  beforeAll(() => { mock = createPlantMock() })
  test('mock', async () => { expect(await create(mock)).toBeGreaterThan(0) })
})`,
  'keeps its mock': `let kept
test('keeps its mock', async () => { expect(await create(kept ??= createPlantMock())).toBeGreaterThan(0) })`,
  'repeats itself': "test('repeats itself', { repeats: 1 }, async () => { expect(await creates()).toBe(201) })",
  'has a namesake': "test('has a namesake', creates)\ntest('has a namesake', creates)",
}

const configOf = (settings: string) => `export default { test: { include: ['**/*.test.js'], ${settings} } }\n`

const project = await createProject({
  'client.mjs': client,
  'all/all.test.js': imports + Object.values(tests).join('\n'),
  'few/few.test.js': `${imports}const list = async (mock) => (await mock.fetch('/plants', { headers: { authorization: 'Bearer carol' } })).json()
const fixtures = [1, 2].map((id) => ({ id, name: 'n' + id, tag: 't' }))
${tests['needs 201']}
test('lists', async () => { expect(await list(createPlantMock({ fixtures }))).toHaveLength(2) })
`,
  // Like jsdom, `viteEnvironment: 'client'` makes Vite refuse files outside of the project.
  'web.mjs': "export default { name: 'web', viteEnvironment: 'client', setup: () => ({ teardown() {} }) }\n",
  'vitest.config.mjs': configOf("environment: './web.mjs'"),
  'whole.config.mjs': configOf("runner: './runner.mjs'"),
  'runner.mjs': "import { TestRunner } from 'vitest'\nexport default class extends TestRunner {}\n",
})

describe('vitest', () => {
  it('repeats tests with their hooks under their changes', async () => {
    const key: ChangeKey = 'create.status=200'
    const file = join(project.folder, 'all', 'all.test.js')
    const ids = Object.keys(tests).map((name) => `${file} > ${name}`)
    const { results, folder } = await project.runAs(
      {
        changes: [{ id: 'create.status', value: 200, base: 201 }],
        areServed: false,
        repeats: Object.fromEntries(ids.map((id) => [id, [key]])),
      },
      ...['npx', 'vitest', 'run', 'all/'],
    )
    const found = repetitionsIn(await readEvidence(folder), { tests: results, areTimed: true })
    const texts = ids.map((id) =>
      (found.get(id) ?? []).map(({ outcome, isChangeShown, isShared, requests }, _, [first]) =>
        [outcome ?? 'unended', isChangeShown && 'shown', isShared && 'shared', requests !== first?.requests && 'other']
          .filter(Boolean)
          .join(' '),
      ),
    )
    const fails = ['passed', 'failed shown', 'passed']
    expect(Object.fromEntries(Object.keys(tests).map((name, index) => [name, texts[index]]))).toEqual({
      passes: ['passed', 'passed shown', 'passed'],
      'needs 201': fails,
      'needs failure': fails,
      retries: ['passed', 'failed shown other', 'passed'],
      'retry helps': ['passed', 'passed shown', 'passed'],
      'hooks > fail': fails,
      'teardown fails': fails,
      'runs beside': fails,
      'times out': ['passed', 'failed shown', 'passed shared'],
      skips: ['passed', 'unended shown'],
      'caches replies': ['passed', 'passed other', 'passed other'],
      'shared > mock': ['passed shared', 'passed shared', 'passed shared'],
      'keeps its mock': ['passed shared', 'passed shared other', 'passed shared other'],
      'repeats itself': [],
      'has a namesake': [],
    })
  })

  it('finds the same in fewer runs as with a run for each change', async () => {
    const only = ['create.status', 'list.order=newest', 'json.contentType=charset'].flatMap((id) => ['--only', id])
    const vary = async (config: string) =>
      parseVaryReport(
        await finish(
          ['vary', '--reporter', 'json', ...only, '--', 'npx', 'vitest', 'run', '--config', config, 'few/'],
          { cwd: project.folder, env: { CI: '' } },
        ),
      )
    const [repeated, whole] = [await vary('vitest.config.mjs'), await vary('whole.config.mjs')]
    const verdictsOf = (report: typeof whole) => [causesIn(report), report.passed]
    expect(verdictsOf(repeated)).toEqual(verdictsOf(whole))
    expect(causesIn(whole)).toEqual(['create.status=200: needs 201'])
    expect([repeated.runs, whole.runs]).toEqual([5, 6])
  })
})
