export { type Middleware, plantMiddleware, type ServedRequest } from './adapters/node-listener.ts'
export { loadFixtures, shippedFixtures } from './fixtures/load.ts'
export { loadAssumptions } from './fixtures/load-assumptions.ts'
export { type StartedPlantMock, type StartOptions, startPlantMock } from './server/start.ts'
