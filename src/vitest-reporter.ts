import type { Reporter, TestModule } from 'vitest/node'
import { addCoverage, type Coverage, renderCoverage } from './core/mock/coverage.ts'

/**
 * A Vitest reporter to use beside another one: at the end of a run, prints which outcomes of the contract the tests
 * covered and which they missed. Prints nothing when no test used a mock.
 * @example
 * reporters: ['default', 'plant-mock/vitest-reporter']
 */
export class PlantMockReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[]): void {
    const parts = testModules.flatMap(coverageIn)
    if (parts.length > 0) console.log(`\n${renderCoverage(addCoverage(parts))}`)
  }
}

const coverageIn = (testModule: TestModule): readonly Coverage[] =>
  [testModule, ...testModule.children.allTests()]
    .map((entity) => entity.meta().plantMockCoverage)
    .filter((coverage) => coverage !== undefined)

// Vitest loads the default export of a reporter.
export { PlantMockReporter as default }
