import { readdir, readFile } from 'node:fs/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { parseMutationReport, withStatus } from '../support/mutation-report.ts'
import { finish, root, stopAll } from './support/cli.ts'
import { createProject } from './support/suite.ts'

const samples = `${root}test/package/mutate-samples/`
const texts = (await readdir(samples)).map(async (name) => {
  const text = await readFile(samples + name, 'utf8')
  return [name, text.replace("'plant-mock'", `'${root}dist/index.cjs'`)]
})
const project = await createProject({
  ...Object.fromEntries(await Promise.all(texts)),
  'package.json': '{}',
  'vitest.config.mjs': "export default { test: { globals: true, include: ['*.test.cjs'] } }\n",
})
afterAll(stopAll)

const tests = ['hook-after.test.cjs', 'hook-before.test.cjs']
const program = (name: string): string => `${root}node_modules/.bin/${name}`

const all = { killed: ['create.noTag', 'list.noName'], survived: ['create.noName', 'list.noTag'] }
// For Playwright, only one mutant of each outcome, because each mutant takes seconds.
const some = { killed: ['create.noTag'], survived: ['list.noTag'] }

describe.each([
  ['node', ['node', '--test', ...tests], all],
  ['vitest', [program('vitest'), 'run'], all],
  ['playwright', [program('playwright'), 'test'], some],
])('plant-mock mutate with %s', (RUNNER, command, { killed, survived }) => {
  it('kills in each file, and by its hooks, exactly what an assertion is about', async () => {
    const only = [...killed, ...survived].flatMap((id) => ['--only', id])
    const mutate = ['mutate', '--reporter', 'json', ...only, '--', ...command]
    const options = { cwd: project.folder, env: { RUNNER, HOME: project.folder } }
    const { code, ...output } = await finish(mutate, options)
    const report = parseMutationReport(output)
    expect([withStatus(report, 'Killed'), withStatus(report, 'Survived'), code]).toEqual([killed, survived, 1])
    expect(Object.keys(report.testFiles ?? {}).toSorted()).toEqual(tests)
  })
})
