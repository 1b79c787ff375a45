import { HttpResponse, http, passthrough } from 'msw'
import type { UnhandledStrategy } from '../adapters/msw.ts'
import { bearerToken, redactor } from '../journal/redact.ts'

type Handler = ReturnType<typeof http.all>

/**
 * A handler to stand behind all others. It does with the requests that come this far what `strategy` says, under
 * msw 2 and 3 alike, and tells `note` of those that it refuses: a client may swallow the network error that it gets.
 */
export const lastHandlers = (
  strategy: UnhandledStrategy,
  nameOf: (caller: string) => string,
  note: (request: string) => void,
): Handler[] => {
  if (strategy === 'bypass') return []
  return [
    http.all('*', ({ request }) => {
      const shown = shownRequest(request, nameOf)
      if (strategy === 'error') {
        note(shown)
        return HttpResponse.error()
      }
      console.warn(`plant-mock: ${shown} has no handler, and goes to the network.`)
      return passthrough()
    }),
  ]
}

const shownRequest = ({ method, url, headers }: Request, nameOf: (caller: string) => string): string =>
  redactor(bearerToken([...headers].flat()), nameOf)(`${method} ${url}`)

/** Why a test fails whose requests no handler took: which they were, and what to do now. */
export const renderUnhandled = (requests: readonly string[], baseUrl: string): string => {
  const counts = new Map<string, number>()
  for (const request of requests) counts.set(request, (counts.get(request) ?? 0) + 1)
  return [
    `Failed to answer ${requests.length === 1 ? 'a request' : `${requests.length} requests`}: no handler takes`,
    ...[...counts].map(([request, count]) => `  ${request}${count === 1 ? '' : `  (${count} times)`}`),
    `The mock answers ${baseUrl === '*' ? '/plants at any address' : `${baseUrl}/plants`} alone (the option plantMock.baseUrl).`,
    'For other addresses, give handlers to the option plantMock.handlers or to server.use(),',
    "or let requests through to the network with the option plantMock: { unhandled: 'bypass' }.",
  ].join('\n')
}
