import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Body } from '../../http/exchange.ts'
import { headerValue, type RawHeaders } from '../../http/headers.ts'
import { discardRest, type Reply } from '../../http/reply.ts'
import { responseHeaders } from '../../http/source.ts'
import { mayHaveLength } from '../../http/status.ts'
import type { MockInstances } from '../../mock/instances.ts'
import { resolveCall } from '../../service/call.ts'
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts'
import { deliver } from './deliver.ts'
import { NodeExchange, sessionOf } from './exchange.ts'
import { lastResponse } from './last-response.ts'
import { logRequest, logWhenFinished, type OnRequest } from './logged-request.ts'
import { hasBody, readBody } from './read-body.ts'

export type ListenerOptions = {
  /** Open the service to pages of every origin, and respond to preflights. */
  readonly cors: boolean
  /** Allow any method in preflights, because more than the contract is served. Default: false. */
  readonly anyMethod?: boolean
  readonly onRequest?: OnRequest
  /** Aborted when the server closes. Responses then end their connection, and those that never end are cut off. */
  readonly closing?: AbortSignal
  /** Gets each request first; returns true when it has handled it. */
  readonly first?: (req: IncomingMessage, res: ServerResponse) => boolean
  /** Handles requests that are none of the contract's operations; `headers` belong to its response. */
  readonly elsewhere?: ((req: IncomingMessage, res: ServerResponse, headers: RawHeaders) => void) | undefined
}

/** A listener for `http.createServer`, over one mock. */
export const nodeListener = (
  instances: Pick<MockInstances, 'handlerFor' | 'callers'>,
  { cors, anyMethod = false, onRequest, closing, first, elsewhere }: ListenerOptions,
) => {
  const log = { instances, onRequest }

  const send = (req: IncomingMessage, res: ServerResponse, reply: Reply): void => {
    const headers = responseHeaders(reply)
    addContentLength(headers, reply)
    if (cors && req.headers.origin !== undefined && !hasOwnCors(reply)) headers.push(...corsHeaders)
    // With pipelining, the connection must stay open until the last response.
    if (closing?.aborted && lastResponse(req.socket) === res) headers.push('Connection', 'close')
    deliver(res, reply, headers, closing)
  }

  return (req: IncomingMessage, res: ServerResponse): void => {
    if (first?.(req, res)) return
    const began = onRequest === undefined ? 0 : performance.now()
    if (cors && isPreflight(req)) {
      res.writeHead(204, [...preflightHeaders(req, anyMethod)]).end()
      logRequest(log, { req, token: undefined, began }, 204)
      return
    }
    const handler = instances.handlerFor(sessionOf(req))
    const exchange = new NodeExchange(req)
    const call = resolveCall(exchange)
    if (elsewhere !== undefined && call.operation === undefined) {
      logWhenFinished(log, req, res, 'upstream')
      elsewhere(req, res, cors && req.headers.origin !== undefined ? corsHeaders : [])
      return
    }
    const finish = (reply: Reply): void => {
      if (res.destroyed) {
        discardRest(reply.meta.forwarded)
        return
      }
      send(req, res, reply)
      logRequest(log, { req, token: call.credentials.token, began }, reply.status, reply)
    }
    const respond = (body: Body, bytes?: Uint8Array): void => {
      exchange.body = body
      exchange.bytes = bytes
      const reply = handler.handle(call)
      if (reply instanceof Promise) reply.then(finish)
      else finish(reply)
    }
    if (hasBody(req)) readBody(req, handler.maxBodySize, respond)
    else respond(undefined)
  }
}

const hasOwnCors = ({ meta: { forwarded }, headers }: Reply): boolean =>
  forwarded !== undefined && headerValue(headers, 'access-control-allow-origin') !== undefined

const addContentLength = (headers: string[], { status, body, meta: { forwarded } }: Reply): void => {
  // A forwarded response has its own length, even without a body (HEAD, 304).
  if (forwarded?.bytes !== undefined) return
  if (body !== undefined) headers.push('Content-Length', String(Buffer.byteLength(body)))
  else if (mayHaveLength(status)) headers.push('Content-Length', '0')
}
