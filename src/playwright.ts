export {
  expect,
  type PlantFixtures,
  type PlantMockUse,
  type PlantTestOptions,
  test,
} from './integrations/playwright.ts'
