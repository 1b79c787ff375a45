import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { UpstreamTimeout } from './failure.ts'
import { endToEnd, type HeaderBag, withVia } from './headers.ts'

export type Way = {
  readonly target: URL
  /** In milliseconds: to connect, and then from the end of the request to the start of the answer. */
  readonly timeout: number
  readonly agent: Agent
  /** The name of this mock in `Via`. */
  readonly station: string
}

export type Outgoing = {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: HeaderBag
  /** The body as held, as a stream, or none. */
  readonly body: Uint8Array | Readable | undefined
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/**
 * Sends a request to the upstream; fulfilled when its answer begins. How the body is framed is said anew, because
 * what framed it before belongs to another connection: otherwise its end would be the start of another request.
 * @throws Error of the connection, or UpstreamTimeout.
 */
export const send = (
  { target, timeout, agent, station }: Way,
  { method, path, headers, body, signal }: Outgoing,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const start = target.protocol === 'https:' ? httpsRequest : httpRequest
    const options: RequestOptions = {
      protocol: target.protocol,
      hostname: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port || (target.protocol === 'https:' ? 443 : 80),
      method,
      path: `${target.pathname.replace(/\/+$/, '')}${path}`,
      headers: { ...framed(withVia(endToEnd(headers), station), headers, body), host: target.host },
      agent,
      signal,
    }
    const request = start(options)
    limitTime(request, timeout)
    request.on('response', (response) => {
      // What no server may say (RFC 9110, 15) could not be said on.
      if ((response.statusCode ?? 0) >= 200 && (response.statusCode ?? 0) <= 599) resolve(response)
      else request.destroy(new Error(`it answered with the status ${response.statusCode}`))
    })
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error('it changed to another protocol, which nobody asked for'))
    })
    request.on('error', reject)
    request.on('close', () => reject(new Error('it closed the connection without an answer')))
    if (body === undefined || body instanceof Uint8Array) request.end(body)
    // Not a pipeline: that would end the client's connection, on which the answer is still to go.
    else body.pipe(request)
  })

const framed = (
  headers: HeaderBag,
  { 'content-length': length }: HeaderBag,
  body: Outgoing['body'],
): HeaderBag => {
  const rest = without(headers, ['content-length', 'transfer-encoding', 'expect'])
  if (body instanceof Uint8Array) return { ...rest, 'content-length': String(body.length) }
  if (body === undefined) return length === '0' ? { ...rest, 'content-length': '0' } : rest
  return length === undefined
    ? { ...rest, 'transfer-encoding': 'chunked' }
    : { ...rest, 'content-length': length }
}

const without = (headers: HeaderBag, names: readonly string[]): HeaderBag =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

/**
 * The upstream has this long to take the connection, and then from the end of the request to the start of the
 * answer. An answer may go on for as long as it likes.
 */
const limitTime = (request: ClientRequest, timeout: number): void => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const start = () => {
    clearTimeout(timer)
    timer = setTimeout(() => request.destroy(new UpstreamTimeout()), timeout)
  }
  const stop = () => clearTimeout(timer)
  start()
  request.on('drain', start)
  request.on('finish', start)
  request.on('response', () => {
    request.off('drain', start)
    request.off('finish', start)
    stop()
  })
  request.on('close', stop)
}
