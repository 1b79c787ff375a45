import { addHooks } from './integrations/jest.ts'

export type { DefinePlantTest, PlantTest, PlantTestBody, PlantTestEach } from './integrations/jest.ts'
export { test, test as it } from './integrations/jest.ts'
export type { PlantMockFixtures, PlantMockTestOptions, TestServer } from './integrations/test-mock.ts'

addHooks()
