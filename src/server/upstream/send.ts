import type { Agent, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { schemeHint, withoutUserInfo } from '../../core/http/address.ts'
import { filterHeaders, headerValue, type RawHeaders, singleHeaders, toHeaderRecord } from '../../core/http/headers.ts'
import { mayHaveLength } from '../../core/http/status.ts'
import type { Problem } from '../../core/model/result.ts'
import { PlantMockError } from '../../util/errors.ts'
import { withMockAddresses } from './addresses.ts'
import type { UpstreamRoute } from './route.ts'

export type UpstreamConnection = {
  readonly target: URL
  /** In milliseconds. Limits the time to connect, and then the time from the end of the request to the response. */
  readonly timeout: number
  readonly route: UpstreamRoute
  readonly agent: Agent
  readonly viaName: string
  readonly basePath: string
}

type OutgoingRequest = {
  readonly method: string
  readonly path: string
  readonly headers: RawHeaders
  readonly body: Uint8Array | Readable | undefined
  readonly signal: AbortSignal | undefined
}

/** Recomputes body framing per hop, which prevents request smuggling. */
export const send = async (connection: UpstreamConnection, outgoing: OutgoingRequest): Promise<IncomingMessage> => {
  try {
    return await sendOnce(connection, outgoing)
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error
    return sendOnce({ ...connection, agent: connection.route.agent({}) }, outgoing)
  }
}

/** The upstream had closed the reused connection. Only GET and HEAD are safe to repeat (RFC 9112, 9.3.1). */
class StaleConnection extends Error {}

const sendOnce = (
  { target, timeout, route, agent, viaName }: UpstreamConnection,
  { method, path, headers, body, signal }: OutgoingRequest,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = route.request(`${target.pathname.replace(/\/+$/, '')}${path}`, {
      method,
      headers: toHeaderRecord(['host', target.host, ...framedHeaders(headers, viaName, body)]),
      agent,
      timeout,
      ...(signal && { signal }),
    })
    request.on('timeout', () => request.destroy(new UpstreamTimeout()))
    request.on('response', (response) => {
      request.setTimeout(0)
      const { statusCode = 0 } = response
      if (statusCode >= 200 && statusCode <= 599) resolve(response)
      else request.destroy(new Error(`it responded with the status ${statusCode}`))
    })
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error('it switched protocols although the request did not ask for it'))
    })
    let bytesBefore = 0
    request.on('socket', (socket) => {
      bytesBefore = socket.bytesRead
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      const isStale = request.reusedSocket && request.socket?.bytesRead === bytesBefore && isClosed && !signal?.aborted
      reject(isStale && body === undefined && (method === 'GET' || method === 'HEAD') ? new StaleConnection() : error)
    })
    request.on('close', () => reject(new Error('it closed the connection without a response')))
    if (body === undefined || body instanceof Uint8Array) request.end(body)
    // Avoids `pipeline`, which would destroy the client's connection before the mock can respond.
    else body.pipe(request)
  })

const framedHeaders = (headers: RawHeaders, viaName: string, body: OutgoingRequest['body']): string[] => {
  const length = headerValue(headers, 'content-length')
  const unframed = filterHeaders(
    requestHeadersToForward(headers, viaName),
    (name) => name !== 'content-length' && name !== 'expect' && name !== 'host',
  )
  return [...unframed, ...framing(length, body)]
}

const framing = (length: string | undefined, body: OutgoingRequest['body']): readonly string[] => {
  if (body instanceof Uint8Array) return ['content-length', String(body.length)]
  if (body === undefined) return length === '0' ? ['content-length', '0'] : []
  return length === undefined ? ['transfer-encoding', 'chunked'] : ['content-length', length]
}

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const

const connectionHeaders = (headers: RawHeaders): ReadonlySet<string> => {
  const named = (headerValue(headers, 'connection') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !singleHeaders.includes(name))
  return new Set([...hopByHop, ...named])
}

export const responseHeadersToForward = (
  status: number,
  headers: RawHeaders,
  { target, basePath }: Pick<UpstreamConnection, 'target' | 'basePath'>,
): string[] => {
  const dropped = connectionHeaders(headers)
  const kept = filterHeaders(
    headers,
    (name) =>
      !dropped.has(name) && !name.startsWith('plant-mock-') && (name !== 'content-length' || mayHaveLength(status)),
  )
  return withMockAddresses(kept, target, basePath)
}

/** Drops headers that concern only this mock, such as the control key. Adds `Via` to detect loops (RFC 9110, 7.6.3). */
export const requestHeadersToForward = (headers: RawHeaders, viaName: string): string[] => {
  const dropped = connectionHeaders(headers)
  const via = [headerValue(headers, 'via') ?? [], `1.1 ${viaName}`].flat().join(', ')
  const forwarded = filterHeaders(
    headers,
    (name) => !dropped.has(name) && name !== 'via' && !name.startsWith('plant-mock-'),
  )
  return [...forwarded, 'via', via]
}

export const isLoop = (headers: RawHeaders, viaName: string): boolean =>
  (headerValue(headers, 'via') ?? '').split(',').some((part) => part.trim().split(/\s+/)[1] === viaName)

export const loopFailure = ({ target }: UpstreamConnection): Problem => ({
  problem: 'forwarding-loop',
  detail: `${targetName(target)} sends requests back to this mock.`,
})

export class UpstreamTimeout extends Error {}

export const describeFailure = (error: unknown, { target, timeout, route }: UpstreamConnection): Problem => {
  const by = route.proxy === undefined ? '' : `, through the proxy ${route.proxy},`
  const upstream = `${targetName(target)}${by}`
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof UpstreamTimeout || code === 'ERR_UPSTREAM_UPGRADE_TIMEOUT')
    return {
      problem: 'upstream-timeout',
      detail: `${upstream} did not respond within ${timeout / 1000} s. Allow more with --timeout.`,
    }
  const reason = [code, message].filter(Boolean).join(': ')
  if (untrusted.test(code))
    return {
      problem: 'upstream-unreachable',
      detail: `${upstream} has a certificate that is not trusted (${reason}). Add its authority with NODE_EXTRA_CA_CERTS.`,
    }
  return unreachable.includes(code) || isRefusal(message)
    ? { problem: 'upstream-unreachable', detail: `${upstream} cannot be reached (${reason}).` }
    : { problem: 'upstream-broken', detail: `${upstream} closed the connection (${reason}).` }
}

const untrusted = /^(?:CERT|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/
const isRefusal = (message: string): boolean => message.startsWith('Bad response: ')
const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']

export const parseTarget = (url: string | URL): URL => {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new PlantMockError(
      `Invalid upstream "${withoutUserInfo(url)}". Write it as https://api.example.com.${schemeHint(url)}`,
    )
  if (target.username !== '' || target.password !== '')
    throw new PlantMockError('The URL of the upstream must not contain a user name or password.')
  if (target.search !== '' || target.hash !== '')
    throw new PlantMockError('The URL of the upstream must end with its path, without query and fragment.')
  return target
}

export const targetName = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}`
