import { dirname, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { root, sourceAlias } from './vitest.config.ts'

/** They read the text of the source, which has all mutants in it. */
const testsOfText = ['architecture', 'generated', 'security', 'server/control/route-table']
/** Megabytes of text: counting the runs of each mutant in loops over characters takes minutes. */
const longTests = [
  'core/contract/openapi-responses.property',
  'core/journal/bounds',
  'core/journal/budget.property',
  'core/journal/redact.unit',
  'core/journal/memory',
  'core/faults/preferred.unit',
]
/** Twenty checks of each service, or checks of real servers: half a minute for each mutant that nothing notices. */
const manyChecks = ['verify/repeated-checks']
/** Processes, sockets, files and builds: the folders that Stryker mutates have tests of their own. */
const outerFolders = [
  'app',
  'cli',
  'example',
  'integrations',
  'package',
  'server/{dashboard,files,listener,persist,start}',
]

/** The tests of whole reports notice most mutants of the check. */
const mostTelling = 'verify/reports'

/** The tests of the mutated folder first, because the first failure ends a run. */
class SameFolderFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [mutated = ''] = this.ctx.config.related ?? []
    const folder = dirname(relative(`${root}src`, mutated))
    const rank = ({ moduleId }: TestSpecification): number => {
      if (!moduleId.startsWith(`${root}test/${folder}/`)) return 2
      return moduleId.startsWith(`${root}test/${mostTelling}`) ? 0 : 1
    }
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}

/** The tests that Stryker runs against each mutant: one worker, modules shared between files, as in the project `source`. */
export default defineConfig({
  root,
  resolve: { alias: sourceAlias },
  test: {
    setupFiles: ['test/setup.ts', '.config/vitest.mutants.setup.ts'],
    env: { PROPERTY_RUNS: '0.25', PROPERTY_SHRINK: 'no' },
    testTimeout: 10_000,
    isolate: false,
    sequence: { sequencer: SameFolderFirst },
    include: ['test/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      'test/**/*.{isolated,programs}.test.ts',
      'test/built-program.test.ts',
      `test/{${outerFolders}}/**`,
      `test/{${testsOfText}}.unit.test.ts`,
      `test/{${[...longTests, ...manyChecks]}}.test.ts`,
    ],
  },
})
