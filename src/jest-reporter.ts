// Jest loads a reporter that is named in `reporters` by its default export.
export { PlantMockReporter, PlantMockReporter as default } from './integrations/jest-reporter.ts'
