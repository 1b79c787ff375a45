import type { IncomingMessage, ServerResponse } from 'node:http'
import { localMock } from '../../core/mock/create-plant-mock.ts'
import type { PlantMock } from '../../core/mock/plant-mock.ts'
import { isContractPath } from '../../core/operations/match.ts'
import { checkOptions, type OptionNames } from '../../util/check-options.ts'
import { checkControlKey } from '../control/paths.ts'
import { dashboardListener } from '../dashboard/listener.ts'
import { requestTarget } from '../listener/exchange.ts'
import { withLastGuard } from '../listener/last-guard.ts'
import { nodeListener } from '../listener/listener.ts'

/** Connect-style middleware, for Express, Vite, webpack-dev-server and others. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

export type MiddlewareOptions = {
  /**
   * The key that requests to `/__plant-mock/` must carry in the header `Plant-Mock-Control-Key`, of at least 8
   * characters. Default: none, and only requests from this machine are accepted.
   */
  readonly controlKey?: string
}

export const middlewareOptionNames: OptionNames<MiddlewareOptions> = { controlKey: true }

/**
 * Serves `/plants` and `/__plant-mock/` below the path where it is mounted, and passes all other requests to `next`. It
 * sends no CORS headers: these are up to the application around it.
 * @param mock Of this process, from `createPlantMock`.
 * @throws PlantMockError for a mock of `connectPlantMock`, an unknown option, and a control key that is too short.
 */
export const plantMiddleware = (mock: PlantMock, options: MiddlewareOptions = {}): Middleware => {
  checkOptions(options, middlewareOptionNames, 'plantMiddleware', { key: 'controlKey' })
  const { controlKey } = options
  const { instances } = localMock(mock, 'plantMiddleware')
  const plants = nodeListener(instances, { cors: false })
  const key = checkControlKey(controlKey, 'The option controlKey')
  const control = dashboardListener(instances, { key, host: undefined })
  return (req, res, next) => {
    const [path = ''] = requestTarget(req).split('?')
    let isHandled = true
    const serve = (): unknown => {
      if (isContractPath(path)) return plants(req, res)
      const handled = control(req, res)
      isHandled = handled !== false
      return handled
    }
    withLastGuard(serve, instances.reportFailure, () => [])(req, res)
    // Outside of the guard: what the application throws is its own.
    if (!isHandled) next()
  }
}
