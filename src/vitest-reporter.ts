export { PlantMockReporter, PlantMockReporter as default } from './integrations/vitest-reporter.ts'
