import { type HttpHandler, http } from 'msw'
import { type LocalPlantMock, responder } from '../mock/create-plant-mock.ts'
import { plantsPath } from '../operations/operations.ts'

export type PlantHandlersOptions = {
  /**
   * Where the client under test believes the service to be, such as `https://api.example.com/v1`, or `/api`
   * in a browser. Default: `*`, any address at all.
   */
  readonly baseUrl?: string
}

/**
 * Handlers for msw's `setupServer` and `setupWorker` (msw 2.10.3 or later, and 3). They take every method on
 * `{baseUrl}/plants` and leave all other requests alone. Faults that break a connection are as near as a mocked
 * fetch comes to them: `reset` is a network error, `truncate` a body that ends in one, `drip` a body that never ends.
 */
export const plantHandlers = (
  mock: LocalPlantMock,
  { baseUrl = '*' }: PlantHandlersOptions = {},
): HttpHandler[] => {
  const respond = responder(mock.instances)
  return [
    http.all(`${baseUrl.replace(/\/+$/, '')}${plantsPath}`, ({ request }) => respond(request, plantsPath)),
  ]
}

/** What msw is to do with a request that no handler takes. */
export type UnhandledStrategy = 'bypass' | 'warn' | 'error'

/**
 * The option for `server.listen()` and `worker.start()` that says what becomes of requests without a handler,
 * under the name that msw 2 knows and under the one that msw 3 knows.
 */
export const unhandled = <S extends UnhandledStrategy>(
  strategy: S,
): { onUnhandledRequest: S; onUnhandledFrame: S } => ({
  onUnhandledRequest: strategy,
  onUnhandledFrame: strategy,
})
