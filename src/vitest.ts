export type { PlantMockFixtures, PlantMockTestOptions, TestServer } from './integrations/test-mock.ts'
export { reportCoverage, test, test as it } from './integrations/vitest.ts'
