import { addCoverage, type Coverage } from '../core/mock/coverage.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { requireJest } from './jest-globals.ts'

/** Names the folder in which test files leave their coverage for `plant-mock/jest-reporter`. */
export const coverageVariable = 'PLANT_MOCK_JEST_COVERAGE'

type FileSystem = { appendFileSync(file: string, text: string): void }

/** Leaves the coverage of a test or a file for the reporter. Does nothing without the reporter. */
export const noteCoverage = (coverage: Coverage): void => {
  const folder = process.env[coverageVariable]
  const met = addCoverage([coverage]).filter(({ count }) => count > 0)
  if (!folder || met.length === 0) return
  // Not imported: a test may mock `node:fs`.
  const { appendFileSync } = process.getBuiltinModule('node:fs') as FileSystem
  appendFileSync(`${folder}/${process.pid}.ndjson`, `${JSON.stringify(met)}\n`)
}

/**
 * Reports the coverage of a mock that was not created by `plant-mock/jest`, local or remote. Call it at the top of a test
 * file or in a `describe`: after the tests there, it collects and clears the coverage of the mock.
 * @throws PlantMockError outside of Jest.
 * @example
 * const mock = createPlantMock()
 * reportCoverage(mock)
 */
export const reportCoverage = (mock: Pick<PlantMock, 'coverage' | 'clearCoverage'>): void =>
  requireJest().afterAll(async () => {
    noteCoverage(await mock.coverage())
    await mock.clearCoverage()
  })
