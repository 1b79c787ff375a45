export type { PlantMockFixtures, PlantMockTestOptions, TestServer } from './kit/vitest.ts'
export { test, test as it } from './kit/vitest.ts'
export { reportCoverage } from './kit/vitest-coverage.ts'
