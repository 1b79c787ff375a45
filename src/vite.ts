export { type PlantMockPluginOptions, plantMock } from './integrations/vite.ts'
