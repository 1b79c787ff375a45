import { type HttpHandler, http } from 'msw'
import { localMock, responder } from '../core/mock/create-plant-mock.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { contractPaths } from '../core/operations/operations.ts'
import { checkOptions } from '../util/check-options.ts'

export type PlantHandlersOptions = {
  /**
   * The base URL that the client under test uses, such as `https://api.example.com/v1`, or `/api` in a browser. Default:
   * `*`, every address.
   */
  readonly baseUrl?: string
}

/**
 * Creates handlers for `setupServer` and `setupWorker` of msw (2.10.3 or later, and 3). They handle every method on
 * `{baseUrl}/plants` and no other request. Faults that break a connection are simulated as closely as msw allows:
 * `reset` as a network error, `truncate` as a body that ends in an error, `drip` as a body that never ends.
 * @param mock Of this process, from `createPlantMock`.
 * @throws PlantMockError for a mock of `connectPlantMock`, and for an unknown option.
 */
export const plantHandlers = (mock: PlantMock, options: PlantHandlersOptions = {}): HttpHandler[] => {
  checkOptions(options, { baseUrl: true }, 'plantHandlers')
  const { baseUrl = '*' } = options
  const respond = responder(localMock(mock, 'plantHandlers').instances)
  const base = baseUrl.replace(/\/+$/, '')
  return contractPaths.map((template) => {
    const pattern = template.replaceAll(/\{(\w+)\}/g, ':$1')
    return http.all(`${base}${pattern}`, ({ request, params }) =>
      // The body of the request broke off, with which `fetch` rejects.
      respond(request, fillIn(template, params)).catch(() => Response.error()),
    )
  })
}

/** The path below the base URL, which the mock does not know. */
const fillIn = (template: string, params: Readonly<Record<string, unknown>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

/** How msw treats a request that no handler takes. */
export type UnhandledStrategy = 'bypass' | 'warn' | 'error'

/**
 * The option of `server.listen()` and `worker.start()` for requests without a handler, under the name that msw 2 reads
 * and the one that msw 3 reads.
 */
export const unhandled = <S extends UnhandledStrategy>(
  strategy: S,
): { onUnhandledRequest: S; onUnhandledFrame: S } => ({
  onUnhandledRequest: strategy,
  onUnhandledFrame: strategy,
})
