import { type HttpHandler, http } from 'msw'
import { localMock, responder } from '../core/mock/create-plant-mock.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { contractPaths } from '../core/operations/operations.ts'
import { controlPath } from '../server/control/paths.ts'
import { checkOptions } from '../util/check-options.ts'
import { shared } from '../util/shared.ts'
import { fillIn, noteOwnHandlers, noteOwnResponse, type PlantHandlersOptions, patternOf } from './overrides.ts'

/** The latest requests that a handler has taken. */
const taken = /* @__PURE__ */ shared('taken requests of msw', () => new Set<string>())
const maxTaken = 1_000

/**
 * Whether handlers have taken this request before. Several servers of msw see each request of a process, and within a
 * `server.boundary`, as in `plant-mock/vitest`, all of them have the same handlers.
 */
const hasResponded = (requestId: string): boolean => {
  if (taken.has(requestId)) return true
  taken.add(requestId)
  const [oldest] = taken
  if (taken.size > maxTaken && oldest !== undefined) taken.delete(oldest)
  return false
}

/**
 * Creates handlers for `setupServer` and `setupWorker` of msw (2.10.3 or later, and 3). They handle every method on
 * `{baseUrl}/plants` and no other request. Faults that break a connection are simulated as closely as msw allows:
 * `reset` as a network error, `truncate` as a body that ends in an error, `drip` as a body that never ends.
 * @param mock Of this process, from `createPlantMock`.
 * @throws PlantMockError for a mock of `connectPlantMock`, and for an unknown option.
 */
export const plantHandlers = (mock: PlantMock, options: PlantHandlersOptions = {}): HttpHandler[] => {
  checkOptions(options, { baseUrl: 'text' }, 'plantHandlers')
  const { baseUrl = '*' } = options
  const respond = responder(localMock(mock, 'plantHandlers').instances)
  const handlers = contractPaths.map((template) =>
    http.all(patternOf(template, baseUrl), ({ request, requestId, params }) => {
      // With the base URL `*`, the pattern also matches the control interface of a mock server.
      if (new URL(request.url).pathname.includes(`${controlPath}/`)) return undefined
      if (hasResponded(requestId)) return undefined
      noteOwnResponse(requestId)
      // The body of the request broke off, with which `fetch` rejects.
      return respond(request, fillIn(template, params)).catch(() => Response.error())
    }),
  )
  noteOwnHandlers(handlers)
  return handlers
}

/** How msw treats a request that no handler takes. */
export type UnhandledStrategy = 'bypass' | 'warn' | 'error'

/**
 * The option of `server.listen()` and `worker.start()` for requests without a handler, under the name that msw 2 reads
 * and the one that msw 3 reads.
 */
export const unhandled = <S extends UnhandledStrategy>(
  strategy: S,
): { onUnhandledRequest: S; onUnhandledFrame: S } => ({ onUnhandledRequest: strategy, onUnhandledFrame: strategy })
