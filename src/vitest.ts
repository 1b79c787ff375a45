export type { PlantMockFixtures, PlantMockTestOptions, TestServer } from './integrations/test-mock.ts'
export { test, test as it } from './integrations/vitest.ts'
