import type { BrowserContext, Request as PageRequest, Route } from '@playwright/test'
import { corsHeaders } from '../adapters/node/cors.ts'
import { isLoopback } from '../control/guard.ts'
import type { PlantMock } from '../mock/plant-mock.ts'
import { contractPaths } from '../operations/operations.ts'

const [plantsPath = ''] = contractPaths

/**
 * Has the mock answer what the pages of a context ask of `{address}/plants`, by whichever method. An answer whose
 * connection breaks becomes a request that fails; one that never ends, a request that is never answered.
 */
export const routePlants = (context: BrowserContext, address: URL, plants: PlantMock): Promise<unknown> =>
  context.route(
    (url) => isPlants(url, address),
    (route) => answer(route, plants),
  )

/** Whether an address is that of the plants. Names of this machine are one: a server tells only one of its own. */
export const isPlants = (url: URL, address: URL): boolean =>
  url.pathname === `${address.pathname.replace(/\/+$/, '')}${plantsPath}` &&
  (url.origin === address.origin ||
    (url.protocol === address.protocol &&
      url.port === address.port &&
      isLoopback(url.hostname) &&
      isLoopback(address.hostname)))

type Fulfilment = NonNullable<Parameters<Route['fulfill']>[0]>

const answer = async (route: Route, plants: PlantMock): Promise<void> => {
  const fulfilment = await forward(route.request(), plants).catch(() => undefined)
  const answered = fulfilment === undefined ? route.abort('connectionreset') : route.fulfill(fulfilment)
  // The page may have gone while the mock took its time.
  await answered.catch(() => undefined)
}

/** @throws whatever a fetch does when its connection breaks. */
const forward = async (request: PageRequest, plants: PlantMock): Promise<Fulfilment> => {
  const method = request.method()
  const body = method === 'GET' || method === 'HEAD' ? null : request.postDataBuffer()
  const response = await plants.fetch(`${plantsPath}${new URL(request.url()).search}`, {
    method,
    headers: withoutConnection(Object.entries(request.headers())),
    redirect: 'manual',
    ...(body !== null && { body: new Uint8Array(body) }),
  })
  return {
    status: response.status,
    headers: { ...withoutConnection([...response.headers]), ...(request.headers().origin && openToPages) },
    body: Buffer.from(await response.arrayBuffer()),
  }
}

const openToPages: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: corsHeaders.length / 2 }, (_, i) => [
    (corsHeaders[2 * i] ?? '').toLowerCase(),
    corsHeaders[2 * i + 1] ?? '',
  ]),
)

/** What belongs to one connection is not for the next (RFC 9110, 7.6.1), nor is the form a body had in it. */
const ofConnection = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
])

const withoutConnection = (headers: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(headers.filter(([name]) => !ofConnection.has(name) && !name.startsWith(':')))
