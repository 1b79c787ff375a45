import { afterAll, TestRunner } from 'vitest'
import { addCoverage, type Coverage } from '../mock/coverage.ts'
import type { PlantMock } from '../mock/plant-mock.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The outcomes of the contract that a test or a file has met, for the reporter of plant-mock. */
    plantMockCoverage?: Coverage
  }
}

type Meta = { plantMockCoverage?: Coverage }

/** Adds coverage to what is known of a test or a file. It travels to the reporter, so only what was met is in it. */
export const noteCoverage = (meta: Meta, coverage: Coverage): void => {
  const met = addCoverage([meta.plantMockCoverage ?? [], coverage]).filter(({ count }) => count > 0)
  if (met.length > 0) meta.plantMockCoverage = met
}

/**
 * Lets the reporter of plant-mock know what a mock of one's own has met, in this process or elsewhere. Call it at the
 * top of a test file, or in a `describe`: when the tests there are done, the mock's coverage is taken and cleared.
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
