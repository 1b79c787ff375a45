export { type PlantMockPluginOptions, plantMock } from './kit/vite.ts'
