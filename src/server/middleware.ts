import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestTarget } from '../adapters/node/exchange.ts'
import { nodeListener } from '../adapters/node/listener.ts'
import { checkControlKey } from '../control/key.ts'
import { dashboardListener } from '../dashboard/listener.ts'
import type { LocalPlantMock } from '../mock/create-plant-mock.ts'
import { isContractPath } from '../operations/match.ts'
import { checkOptions, type OptionNames } from '../util/check-options.ts'

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
 * @throws PlantMockError for an unknown option, and a control key that is too short.
 */
export const plantMiddleware = (mock: LocalPlantMock, options: MiddlewareOptions = {}): Middleware => {
  checkOptions(options, middlewareOptionNames, 'plantMiddleware', { key: 'controlKey' })
  const { controlKey } = options
  const plants = nodeListener(mock.instances, { cors: false })
  const key = checkControlKey(controlKey, 'The option controlKey')
  const control = dashboardListener(mock.instances, { key, host: undefined })
  return (req, res, next) => {
    const [path = ''] = requestTarget(req).split('?')
    if (isContractPath(path)) plants(req, res)
    else if (!control(req, res)) next()
  }
}
