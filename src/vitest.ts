export type { PlantMockFixtures, PlantMockTestOptions, TestServer } from './integrations/vitest.ts'
export { test, test as it } from './integrations/vitest.ts'
export { reportCoverage } from './integrations/vitest-coverage.ts'
