export { PlantMockReporter, PlantMockReporter as default } from './kit/vitest-reporter.ts'
