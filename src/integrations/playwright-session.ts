import type { BrowserContext, Request as PageRequest, Route } from '@playwright/test'
import { isLoopback } from '../core/http/address.ts'
import type { ReceivedRequest } from '../core/http/exchange.ts'
import { headerEntries } from '../core/http/headers.ts'
import { describeOverride } from '../core/mock/overrides.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { resolveRequest } from '../core/operations/call.ts'
import { isServicePath } from '../core/operations/operations.ts'
import { overrideReply } from '../core/operations/override.ts'
import { responseCheck } from '../core/operations/violations.ts'
import { corsHeaders } from '../server/listener/cors.ts'
import { noCallers } from './test-checks.ts'

const maxTitleLength = 180

export const sessionName = (title: string, suffix: string): string => {
  const ascii = title.replaceAll(/[^\x20-\x7E]/gu, '?').trim()
  return `${ascii.slice(0, maxTitleLength)} ${suffix}`.trim()
}

export type PageOverrides = ReturnType<typeof pageOverrides>

export const pageOverrides = () => ({
  problems: [] as string[],
  reading: new Set<Promise<unknown>>(),
  check: responseCheck(),
})

export const routePlants = async (
  context: BrowserContext,
  address: URL,
  plants: PlantMock,
  overrides?: PageOverrides,
): Promise<void> => {
  const matches = (url: URL) => isPlants(url, address)
  const served = new WeakSet<PageRequest>()
  await context.route(matches, (route) => {
    served.add(route.request())
    return serve(route, address, plants)
  })
  if (overrides === undefined) return
  context.on('requestfinished', (request) => {
    if (!matches(new URL(request.url())) || served.has(request)) return
    const reading = checkOverride(request, address, overrides).catch(() => undefined)
    overrides.reading.add(reading)
    reading.finally(() => overrides.reading.delete(reading))
  })
}

export const readOverrides = async (context: BrowserContext, { reading }: PageOverrides): Promise<void> => {
  // Asks for the cookies only to wait: the browser sends all pending `requestfinished` events before its reply.
  await context.cookies().catch(() => undefined)
  await Promise.all(reading)
}

const checkOverride = async (request: PageRequest, address: URL, { check, problems }: PageOverrides): Promise<void> => {
  const response = await request.response()
  if (response === null) return
  const url = new URL(request.url())
  const headers = request.headers()
  const received: ReceivedRequest = {
    method: request.method(),
    path: pathBelow(url, address) ?? url.pathname,
    query: url.search.slice(1),
    header: (name) => headers[name],
    headers: () => Object.entries(headers).flat(),
    body: request.postData() ?? undefined,
  }
  const answered = {
    status: response.status(),
    headers: Object.entries(response.headers()).flat(),
    body: await response.text(),
  }
  const reply = overrideReply(resolveRequest(received), answered, check, true)
  const problem = describeOverride(received, reply, noCallers, markOfRoute)
  if (problem !== undefined) problems.push(problem)
}

const markOfRoute = (section: string): string =>
  `route.fulfill({ headers: { 'Plant-Mock-Violates': '${section}' }, … })`

/** Treats all loopback names as equal, because a server prints only one of its names, such as `localhost`. */
export const isPlants = (url: URL, address: URL): boolean =>
  isServicePath(pathBelow(url, address) ?? '') &&
  url.protocol === address.protocol &&
  url.port === address.port &&
  (url.hostname === address.hostname || (isLoopback(url.hostname) && isLoopback(address.hostname)))

const pathBelow = ({ pathname }: URL, address: URL): string | undefined => {
  const base = address.pathname.replace(/\/+$/, '')
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : undefined
}

type Fulfilment = NonNullable<Parameters<Route['fulfill']>[0]>

const serve = async (route: Route, address: URL, plants: PlantMock): Promise<void> => {
  const fulfilment = await fetchFrom(plants, address, route.request()).catch(() => undefined)
  const served = fulfilment === undefined ? route.abort('connectionreset') : route.fulfill(fulfilment)
  await served.catch(() => undefined)
}

const fetchFrom = async (plants: PlantMock, address: URL, request: PageRequest): Promise<Fulfilment> => {
  const url = new URL(request.url())
  const method = request.method()
  const body = method === 'GET' || method === 'HEAD' ? null : request.postDataBuffer()
  const response = await plants.fetch(`${pathBelow(url, address)}${url.search}`, {
    method,
    headers: endToEnd(Object.entries(request.headers())),
    redirect: 'manual',
    ...(body !== null && { body: new Uint8Array(body) }),
  })
  return {
    status: response.status,
    headers: { ...endToEnd([...response.headers]), ...(request.headers().origin && corsHeaderMap) },
    body: Buffer.from(await response.arrayBuffer()),
  }
}

const corsHeaderMap: Readonly<Record<string, string>> = Object.fromEntries(new Headers(headerEntries(corsHeaders)))

/** Matches headers that belong to one connection (RFC 9110, 7.6.1), to the encoding of a body, or to HTTP/2. */
const hopHeader = /^(?::.*|connection|content-encoding|content-length|host|keep-alive|transfer-encoding)$/

const endToEnd = (headers: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(headers.filter(([name]) => !hopHeader.test(name)))
