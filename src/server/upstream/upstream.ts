import { randomUUID } from 'node:crypto'
import { hostName, isLoopback, isOrigin, normalisedOrigin } from '../../core/http/address.ts'
import type { ReceivedRequest } from '../../core/http/exchange.ts'
import { checkOptions } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import { createForwarder } from './forward.ts'
import { type CheckMode, upstreamHandler } from './handler.ts'
import type { Recorder } from './recorder.ts'
import { routeTo } from './route.ts'
import { parseTarget } from './send.ts'

/** Options for forwarding requests to a real service. */
export type UpstreamOptions = {
  /** The base URL of the real service. Its path is prepended to the path of each request. */
  readonly url: string | URL
  /** `rest` forwards only requests outside of the contract; `all` forwards every request. Default: `rest`. */
  readonly for?: 'rest' | 'all'
  /** The maximum time to wait for the upstream, in milliseconds. Default: 30000. */
  readonly timeout?: number
  /**
   * Checks the upstream against the contract. `report` shows violations in log, journal and `Plant-Mock-Violations`;
   * `strict` responds with 502 to an exchange with violations. Default: no check.
   */
  readonly check?: CheckMode
  /** The path of a `.har` file to record the contract's operations, without tokens. Default: no recording. */
  readonly record?: string
}

export type Upstream = ReturnType<typeof createUpstream>

export const createUpstream = (
  options: UpstreamOptions,
  {
    host,
    allowOrigins,
    basePath,
  }: { readonly host: string; readonly allowOrigins: readonly string[]; readonly basePath: string },
  observe: Recorder['observe'],
) => {
  const names = { url: true, for: true, timeout: 'amount', check: true, record: 'text' } as const
  checkOptions(options, names, 'upstream', { target: 'url' })
  const { timeout = 30_000, for: scope = 'rest', check, record } = options
  const target = parseTarget(options.url)
  if (scope !== 'rest' && scope !== 'all')
    throw new PlantMockError(`The option upstream.for must be 'rest' or 'all', not ${JSON.stringify(scope)}.`)
  if (scope === 'rest' && (check !== undefined || record !== undefined))
    throw new PlantMockError('check and record need --upstream-for all, which forwards the operations of the contract.')
  const route = routeTo(target, timeout)
  const agent = route.agent({ keepAlive: true })
  const connection = { target, timeout, route, agent, basePath, viaName: `plant-mock-${randomUUID()}` }
  return {
    handler: scope === 'rest' ? undefined : upstreamHandler({ ...connection, check, ...(record && { observe }) }),
    ...createForwarder(connection),
    operations: scope === 'all',
    refusalFor: originCheck(allowOrigins, host),
    close: () => agent.destroy(),
  }
}

type Header = ReceivedRequest['header']

/** Refuses pages of other origins, which could reach the upstream through the mock. Also prevents DNS rebinding. */
export const originCheck = (allowed: readonly string[], bound: string) => {
  const known = new Set(allowed.map(normalisedOrigin))
  const knownHosts = new Set([...known].map(hostOf))
  const refusedHost = (host: string | undefined): string | undefined => {
    if (host === undefined || !isLoopback(bound)) return undefined
    const name = hostName(host)
    if (isLoopback(name) || (name !== '' && knownHosts.has(name))) return undefined
    const example = isOrigin(`https://${host}`) ? `, such as --allow-origin https://${host}` : ''
    return `The Host ${JSON.stringify(host)} is not a loopback name. Use 127.0.0.1 or localhost. Behind a proxy that sends this Host, start with --allow-origin and the origin of its pages${example}.`
  }
  const refusedPage = (header: Header): string | undefined => {
    const origin = pageOf(header)
    if (origin === undefined) return undefined
    const page = normalisedOrigin(origin)
    const isOwn = [`http://${header('host')}`, `https://${header('host')}`].map(normalisedOrigin).includes(page)
    if ((isOwn && !isLoopback(bound)) || known.has(page) || isLoopback(hostOf(page))) return undefined
    return `Pages of the origin ${JSON.stringify(origin)} may not reach the upstream. If they should, start with --allow-origin ${isOrigin(page) ? page : 'ORIGIN'}.`
  }
  return (header: Header): string | undefined => refusedHost(header('host')) ?? refusedPage(header)
}

/** Uses `Sec-Fetch-Site` and `Referer` if `Origin` is missing, because browsers omit it for images and scripts. */
const pageOf = (header: Header): string | undefined => {
  const origin = header('origin')
  if (origin !== undefined) return origin
  const site = header('sec-fetch-site')
  if (site === undefined) return referrerOrigin(header)
  if (site === 'same-origin' || site === 'none') return undefined
  // Allows a followed link, because the page that contains the link cannot read the response.
  if (header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document') return undefined
  return referrerOrigin(header) ?? 'null'
}

const referrerOrigin = (header: Header): string | undefined => {
  const referrer = header('referer') ?? ''
  return URL.canParse(referrer) ? new URL(referrer).origin : undefined
}

const hostOf = (origin: string): string => (isOrigin(origin) && origin !== 'null' ? new URL(origin).hostname : '')
