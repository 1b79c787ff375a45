export { loadFixtures, shippedFixtures } from './server/files/load-fixtures.ts'
export type { LoggedRequest } from './server/listener/logged-request.ts'
export {
  type Middleware,
  type MiddlewareOptions,
  overrideMiddleware,
  plantMiddleware,
} from './server/start/middleware.ts'
export type { StartOptions, Tls } from './server/start/options.ts'
export { type StartedPlantMock, startPlantMock } from './server/start/start.ts'
export type { UpstreamOptions } from './server/upstream/upstream.ts'
export { loadAssumptions } from './verify/sources/load.ts'
