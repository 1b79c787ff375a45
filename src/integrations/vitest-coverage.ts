import { afterAll, type TaskMeta, TestRunner } from 'vitest'
import { addCoverage, type Coverage } from '../core/mock/coverage.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The outcomes of the contract that a test or a file covered, for `plant-mock/vitest-reporter`. */
    plantMockCoverage?: Coverage
  }
}

/** Adds coverage to the metadata of a test or a file. Vitest sends these to the reporter, so uncovered rows are left out. */
export const noteCoverage = (meta: TaskMeta, coverage: Coverage): void => {
  const met = addCoverage([meta.plantMockCoverage ?? [], coverage]).filter(({ count }) => count > 0)
  if (met.length > 0) meta.plantMockCoverage = met
}

/**
 * Reports the coverage of a mock that was not created by `test` of `plant-mock/vitest`, local or remote. Call it at the
 * top of a test file or in a `describe`: after the tests there, it collects and clears the coverage of the mock.
 * @example
 * const mock = createPlantMock()
 * reportCoverage(mock)
 */
export const reportCoverage = (mock: Pick<PlantMock, 'coverage' | 'clearCoverage'>): void => {
  const { file } = TestRunner.getCurrentSuite()
  afterAll(async () => {
    noteCoverage(file.meta, await mock.coverage())
    await mock.clearCoverage()
  })
}
