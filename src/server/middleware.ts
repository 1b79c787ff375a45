import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestTarget } from '../adapters/node/exchange.ts'
import { nodeListener } from '../adapters/node/listener.ts'
import { controlListener } from '../control/listener.ts'
import { oneOf, pageListener } from '../dashboard/listener.ts'
import type { LocalPlantMock } from '../mock/create-plant-mock.ts'
import { contractPaths } from '../operations/operations.ts'

const [plantsPath = ''] = contractPaths

/** Connect-style middleware: Express, Vite, webpack-dev-server and the like take it as it is. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

export type MiddlewareOptions = {
  /** The key that requests to `/__plant-mock/` must carry. Without one, this machine alone may send them. */
  readonly controlKey?: string
}

/**
 * Answers `/plants` and `/__plant-mock/` below the path where it is mounted, and passes everything else on to
 * `next`. CORS is left to the application that it is part of.
 */
export const plantMiddleware = (mock: LocalPlantMock, { controlKey }: MiddlewareOptions = {}): Middleware => {
  const listen = nodeListener(mock.instances, { cors: false })
  const control = oneOf(
    pageListener({ hasKey: controlKey !== undefined, host: undefined }),
    controlListener(mock.instances, { key: controlKey, host: undefined }),
  )
  return (req, res, next) => {
    const [path] = requestTarget(req).split('?')
    if (path === plantsPath) listen(req, res)
    else if (!control(req, res)) next()
  }
}
