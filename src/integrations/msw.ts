import { type HttpHandler, http, passthrough } from 'msw'
import { controlPath } from '../core/http/control-path.ts'
import { isToConnected } from '../core/mock/connected.ts'
import { localMock, responder } from '../core/mock/create-plant-mock.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { sessionHeader } from '../core/mock/sessions.ts'
import { isServicePath, knownPaths } from '../core/operations/operations.ts'
import { checkOptions } from '../util/check-options.ts'
import { shared } from '../util/shared.ts'

export type PlantHandlersOptions = {
  /** The client's base URL, such as `https://api.example.com/v1` or `/api`. Default: `*`, any address. */
  readonly baseUrl?: string
}

export const patternOf = (template: string, baseUrl: string): string =>
  `${baseUrl.replace(/\/+$/, '')}${template.replaceAll(/\{(\w+)\}/g, ':$1')}`

export const fillIn = (template: string, params: Readonly<Record<string, unknown>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

const taken = /* @__PURE__ */ shared('taken requests of msw', () => new Set<string>())
const maxTaken = 1_000

export const hasResponded = (requestId: string): boolean => taken.has(requestId)

export const isRepeated = (seen: Set<string>, requestId: string): boolean => {
  if (seen.has(requestId)) return true
  seen.add(requestId)
  const [oldest] = seen
  if (seen.size > maxTaken && oldest !== undefined) seen.delete(oldest)
  return false
}

/**
 * Creates handlers for `setupServer` and `setupWorker` of msw (2.10.3 or later, and 3). The handlers respond to every
 * method on `{baseUrl}/plants`, and to no other request. msw can only simulate faults that break a connection: `reset`
 * as a network error, `truncate` as a body that ends in an error, `endless` as an endless body.
 * @param mock A mock of this process, from `createPlantMock`.
 * @throws PlantMockError for a mock of `connectPlantMock`, and for an unknown option.
 */
export const plantHandlers = (mock: PlantMock, options: PlantHandlersOptions = {}): HttpHandler[] => {
  checkOptions(options, { baseUrl: 'text' }, 'plantHandlers')
  const { baseUrl = '*' } = options
  const { instances } = localMock(mock, 'plantHandlers')
  const respond = responder(instances)
  return knownPaths.map((template) =>
    http.all(patternOf(template, baseUrl), ({ request, requestId, params }) => {
      // The base URL `*` also matches requests to mock servers and the control interface, which need other responses.
      if (isToConnected(request.url)) return passthrough()
      if (new URL(request.url).pathname.includes(`${controlPath}/`)) return undefined
      const path = fillIn(template, params)
      const { inForce } = instances.handlerFor(request.headers.get(sessionHeader) ?? undefined)
      if (!isServicePath(path, inForce)) return undefined
      // Responds once, even if several msw servers pass the same request to this handler.
      if (isRepeated(taken, requestId)) return undefined
      return respond(request, path).catch(() => Response.error())
    }),
  )
}

export type UnhandledStrategy = 'bypass' | 'warn' | 'error'

/** Sets the option for unhandled requests as `onUnhandledRequest` (msw 2) and `onUnhandledFrame` (msw 3). */
export const unhandled = <S extends UnhandledStrategy>(
  strategy: S,
): { onUnhandledRequest: S; onUnhandledFrame: S } => ({ onUnhandledRequest: strategy, onUnhandledFrame: strategy })
