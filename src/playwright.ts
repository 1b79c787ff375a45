export {
  expect,
  type PlantFixtures,
  type PlantMockUse,
  type PlantTestOptions,
  test,
} from './kit/playwright.ts'
