import { type HttpHandler, HttpResponse, http, passthrough } from 'msw'
import { fromFetchHeaders } from '../core/http/headers.ts'
import { type NamedCallers, redactorOf } from '../core/journal/redact.ts'
import { plural } from '../util/words.ts'
import type { UnhandledStrategy } from './msw.ts'

/**
 * A catch-all handler, to be listed after all others: applies `strategy` to the requests that reach it, in the same
 * way under msw 2 and 3.
 * @param callers Their names replace tokens in the shown requests.
 * @param onRefused Receives method and URL of each request that `error` refuses with a network error, because a client
 * may swallow that error.
 * @returns No handler for `bypass`.
 */
export const catchAllHandlers = (
  strategy: UnhandledStrategy,
  callers: NamedCallers,
  onRefused: (request: string) => void,
): HttpHandler[] => {
  const handler = http.all('*', ({ request }) => {
    const { search } = new URL(request.url)
    const redact = redactorOf({ headers: fromFetchHeaders(request.headers), query: search }, callers)
    const shown = redact(`${request.method} ${request.url}`)
    if (strategy === 'error') {
      onRefused(shown)
      return HttpResponse.error()
    }
    console.warn(`plant-mock: No handler matches ${shown}. The request passes through to the network.`)
    return passthrough()
  })
  return strategy === 'bypass' ? [] : [handler]
}

/** The message of a test that fails because no handler matched its requests: lists them, and says what to do. */
export const renderUnhandled = (requests: readonly string[], baseUrl: string): string => {
  const counts = new Map<string, number>()
  for (const request of requests) counts.set(request, (counts.get(request) ?? 0) + 1)
  return [
    `No handler matches ${plural(requests.length, 'request')}:`,
    ...[...counts].map(([request, count]) => `  ${request}${count === 1 ? '' : `  (${count} times)`}`),
    `The mock serves only ${baseUrl === '*' ? '/plants at any address' : `${baseUrl}/plants`} (option plantMock.baseUrl).`,
    'Add handlers for other services with the option plantMock.handlers or with server.use(),',
    "or let requests pass through to the network with plantMock: { unhandled: 'bypass' }.",
  ].join('\n')
}
