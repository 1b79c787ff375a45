import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = 'util,core/{contract,http,operations,service,faults,journal,mock},server/{control,upstream},verify'
const cache = 'node_modules/.cache/stryker'

export default {
  mutate: [`src/{${folders}}/**/*.ts`, '!src/core/contract/contract-text.ts', '!src/core/fixtures/shipped-text.ts'],
  testRunner: 'vitest',
  vitest: { configFile: '.config/vitest.mutants.config.ts' },
  coverageAnalysis: 'perTest',
  // A mutant in code that runs while a module is loaded would need all tests. These are typed tables, tested by their use.
  // A module that is imported on demand, such as those of the upstream, escapes this: its load counts as part of a test.
  ignoreStatic: true,
  // Messages are compared in test/**/*.test.ts where they matter; a mutant of each text would double the number.
  mutator: { excludedMutations: ['StringLiteral'] },
  concurrency: 2,
  // A machine with other work must not make slow tests look like mutants that never end.
  timeoutMS: 15_000,
  // Vite does not compile the TypeScript of files in `node_modules`.
  tempDirName: join(tmpdir(), 'plant-mock-mutants'),
  // Stryker would rewrite this file with an API that TypeScript 7 does not have.
  tsconfigFile: 'none',
  ignorePatterns: ['dist'],
  incremental: true,
  incrementalFile: `${cache}/incremental.json`,
  reporters: ['clear-text', 'progress', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: `${cache}/report.html` },
  thresholds: { high: 95, low: 90, break: 90 },
}
