import type { IncomingMessage, ServerResponse } from 'node:http'
import { discardRest, type Exchange, type Reply } from '../../http/exchange.ts'
import type { MockInstances } from '../../mock/instances.ts'
import { operationOf } from '../../service/service.ts'
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts'
import { hand } from './deliver.ts'
import { NodeExchange, sessionOf } from './exchange.ts'
import { lastAnswer } from './last-response.ts'
import { loggedRequest, noteWhenDone, type OnRequest } from './logged-request.ts'
import { hasBody, readBody } from './read-body.ts'

export type ListenerOptions = {
  /** Answer pages of any origin, preflights included. */
  readonly cors: boolean
  /** Tell pages that any method may be sent: more than the contract is served. Default: false. */
  readonly anyMethod?: boolean
  readonly onRequest?: OnRequest
  /** Aborted once the server is closing: answers then end their connection, and what never ends is cut off. */
  readonly closing?: AbortSignal
  /** Asked first; true when it has taken the request. */
  readonly first?: (req: IncomingMessage, res: ServerResponse) => boolean
  /** Takes what is not one of the contract's operations; `headers` are for its answer. */
  readonly elsewhere?:
    | ((req: IncomingMessage, res: ServerResponse, headers: readonly string[]) => void)
    | undefined
}

/** A listener for `http.createServer`, over one mock. */
export const nodeListener = (
  instances: Pick<MockInstances, 'answering' | 'pseudonym'>,
  { cors, anyMethod = false, onRequest, closing, first, elsewhere }: ListenerOptions,
) => {
  const { answering } = instances
  const report = (req: IncomingMessage, began: number, status: number, reply?: Reply): void =>
    onRequest?.(loggedRequest(req, instances, performance.now() - began, status, reply))

  return (req: IncomingMessage, res: ServerResponse): void => {
    if (first?.(req, res)) return
    const began = onRequest === undefined ? 0 : performance.now()
    if (cors && isPreflight(req)) {
      res.writeHead(204, [...preflightHeaders(req, anyMethod)])
      res.end()
      report(req, began, 204)
      return
    }
    const instance = answering(sessionOf(req))
    const exchange = new NodeExchange(req)
    if (elsewhere !== undefined && operationOf(exchange) === undefined) {
      noteWhenDone(instances, onRequest, req, res, 'upstream')
      elsewhere(req, res, cors && req.headers.origin !== undefined ? corsHeaders : [])
      return
    }
    const write = (reply: Reply): void => {
      if (res.destroyed) {
        discardRest(reply.forwarded ?? { rest: undefined })
        return
      }
      const headers = headersOf(reply)
      if (cors && req.headers.origin !== undefined && !hasOwnCors(reply)) headers.push(...corsHeaders)
      // Requests that were sent at one go are all answered before the connection ends.
      if (closing?.aborted && lastAnswer(req.socket) === res) headers.push('Connection', 'close')
      hand(res, reply, headers, closing)
      if (onRequest !== undefined) report(req, began, reply.status, reply)
    }
    const answer = (body: Exchange['body'], bytes?: Uint8Array): void => {
      exchange.body = body
      exchange.bytes = bytes
      const reply = instance.handle(exchange)
      if (reply instanceof Promise) reply.then(write)
      else write(reply)
    }
    if (hasBody(req)) readBody(req, instance.bodyLimit, answer)
    else answer(undefined)
  }
}

const hasOwnCors = ({ forwarded, headers }: Reply): boolean =>
  forwarded !== undefined && headers.some((text) => text.toLowerCase() === 'access-control-allow-origin')

/** Those of the reply, and the length that goes with its body (RFC 9110, 8.6: none with 204). */
const headersOf = ({ status, headers, body, forwarded }: Reply): string[] => {
  const result = headers.slice()
  // An answer of the upstream has its own, also where there is no body to measure (HEAD, 304).
  if (forwarded?.bytes !== undefined) return result
  if (body !== undefined) result.push('Content-Length', String(Buffer.byteLength(body)))
  else if (status !== 204) result.push('Content-Length', '0')
  return result
}
