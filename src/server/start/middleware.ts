import type { IncomingMessage, ServerResponse } from 'node:http'
import { localMock } from '../../core/mock/create-plant-mock.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import type { PlantMock } from '../../core/mock/plant-mock.ts'
import { isServicePath } from '../../core/operations/operations.ts'
import { checkOptions, type OptionNames } from '../../util/check-options.ts'
import { checkControlKey } from '../control/paths.ts'
import { dashboardListener } from '../dashboard/listener.ts'
import { inTurn } from '../listener/connection.ts'
import { NodeRequest, sessionOf } from '../listener/exchange.ts'
import { nodeListener } from '../listener/listener.ts'
import { watchOverride } from '../listener/logged-request.ts'
import { lastGuard, withLastGuard } from '../listener/respond.ts'

/** Connect-style middleware, for Express, Vite, webpack-dev-server and others. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

export type MiddlewareOptions = {
  /**
   * The key that requests to `/__plant-mock/` must send in the header `Plant-Mock-Control-Key`: at least 8 characters.
   * Default: none; then only this machine can send such requests.
   */
  readonly controlKey?: string
}

export const middlewareOptionNames: OptionNames<MiddlewareOptions> = { controlKey: true }

/**
 * Returns middleware for `/plants` and `/__plant-mock/` below the path where it is mounted. Passes all other requests
 * to `next`, and sends no CORS headers.
 * @param mock A mock of this process, from `createPlantMock`.
 * @throws PlantMockError for a mock of `connectPlantMock`, an unknown option, and a control key that is too short.
 */
export const plantMiddleware = (mock: PlantMock, options: MiddlewareOptions = {}): Middleware => {
  checkOptions(options, middlewareOptionNames, 'plantMiddleware', { key: 'controlKey' })
  const { controlKey } = options
  const { instances } = localMock(mock, 'plantMiddleware')
  const guard = lastGuard(instances.reportFailure, () => [])
  const plants = inTurn(() => false, nodeListener(instances, { guard }))
  const key = checkControlKey(controlKey, 'The option controlKey')
  const control = dashboardListener(instances, { key, host: undefined })
  return (req, res, next) => {
    let isHandled = true
    const serve = (): unknown => {
      if (isForPlants(req, instances)) {
        responded.add(req)
        return plants(req, res)
      }
      const handled = control(req, res)
      isHandled = handled !== false
      return handled
    }
    withLastGuard(serve, guard)(req, res)
    // Calls `next` outside of the guard, because the guard must not catch errors of the application.
    if (!isHandled) next()
  }
}

const isForPlants = (req: IncomingMessage, { handlerFor }: MockInstances): boolean =>
  isServicePath(new NodeRequest(req).path, handlerFor(sessionOf(req)).inForce)

const responded = /* @__PURE__ */ new WeakSet<IncomingMessage>()

/**
 * Checks the responses of your own routes for `/plants` against the contract. Mount it before these routes, and
 * `plantMiddleware` after them. Violations appear in the journal, and are passed to the mock's option `onNotice`.
 * @param mock A mock of this process, from `createPlantMock`.
 * @throws PlantMockError for a mock of `connectPlantMock`.
 * @example
 * app.use('/api', overrideMiddleware(mock), ownRoutes, plantMiddleware(mock))
 */
export const overrideMiddleware = (mock: PlantMock): Middleware => {
  const { instances } = localMock(mock, 'overrideMiddleware')
  const log = { instances, onRequest: undefined }
  return (req, res, next) => {
    if (isForPlants(req, instances))
      watchOverride(log, req, res, () => responded.has(req)).catch((error: unknown) =>
        instances.reportFailure(error, { headers: req.rawHeaders }),
      )
    next()
  }
}
