import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationId } from '../../core/assumptions/operation-ids.ts'
import { bodyTooLarge } from '../../core/http/exchange.ts'
import { missingHeaders, type RawHeaders } from '../../core/http/headers.ts'
import { discardRest, type Reply } from '../../core/http/reply.ts'
import { responseHeaders } from '../../core/http/source.ts'
import { mayHaveLength } from '../../core/http/status.ts'
import type { Problem } from '../../core/model/result.ts'
import { type ResolvedRequest, resolveRequest } from '../../core/operations/call.ts'
import { findServed, servedMethods } from '../../core/operations/operations.ts'
import { isPromise, type MaybePromise } from '../../util/maybe-promise.ts'
import { beginReading, endTurn, lastResponse, type Turn } from './connection.ts'
import { type Cors, noCors } from './cors.ts'
import { deliver } from './deliver.ts'
import { hasBody, NodeRequest, readBody, repeatedHeader, sessionOf, skipBody, unsupportedTransfer } from './exchange.ts'
import { logRequest, logWhenFinished, type OnRequest, type RequestLog } from './logged-request.ts'
import { attempt, isPreflight, type LastGuard, preflightHeaders } from './respond.ts'

export type ListenerOptions = {
  readonly cors?: Cors
  readonly anyMethod?: boolean
  readonly onRequest?: OnRequest
  readonly closing?: AbortSignal
  readonly forwarding?: Forwarding | undefined
  readonly guard: LastGuard
}

type Forwarding = {
  readonly web: (req: IncomingMessage, res: ServerResponse, headers: RawHeaders) => unknown
  readonly operations: boolean
  readonly refusalFor: (header: (name: string) => string | undefined) => string | undefined
}

export const nodeListener = (
  instances: RequestLog['instances'],
  { cors = noCors, anyMethod = false, onRequest, closing, forwarding, guard }: ListenerOptions,
) => {
  const log = { instances, onRequest }

  const send = (req: IncomingMessage, res: ServerResponse, reply: Reply): MaybePromise<void> => {
    const headers = responseHeaders(reply)
    const { status, body, meta } = reply
    // Keeps the Content-Length of a forwarded response. A response to HEAD has a length but no body.
    if (meta.forwarded?.bytes === undefined && mayHaveLength(status))
      headers.push('Content-Length', String(Buffer.byteLength(body ?? '')))
    const isOfUpstream = meta.forwarded?.by === 'upstream'
    if (req.headers.origin !== undefined && meta.problem !== 'foreign-origin')
      headers.push(...missingHeaders(headers, cors(req, isOfUpstream)))
    // Sends `Connection: close` only with the last pipelined response.
    if (closing?.aborted && lastResponse(req.socket) === res) headers.push('Connection', 'close')
    return deliver(res, reply, headers, closing)
  }

  const finish = (req: IncomingMessage, res: ServerResponse, call: ResolvedRequest, began: number, reply: Reply) => {
    if (res.destroyed) return discardRest(reply.meta.forwarded)
    const sent = send(req, res, reply)
    if (onRequest !== undefined) logRequest(log, { req, began, call }, reply.status, reply)
    return sent
  }

  const isForwarded = (operation: OperationId | undefined): boolean =>
    forwarding !== undefined && (operation === undefined || forwarding.operations)

  const refusesPage = (req: IncomingMessage, res: ServerResponse, call: ResolvedRequest, began: number): boolean => {
    if (forwarding === undefined || !isForwarded(call.operation)) return false
    const detail = forwarding.refusalFor((name) => call.received.header(name))
    if (detail === undefined) return false
    refuse(req, res, call, began, { problem: 'foreign-origin', detail })
    return true
  }

  const refuse = (
    req: IncomingMessage,
    res: ServerResponse,
    call: ResolvedRequest,
    began: number,
    problem: Problem,
  ): void => {
    // Drains the request body, because many clients read the response only after they have sent the whole body.
    req.resume()
    const handler = instances.handlerFor(sessionOf(req))
    const reply = handler.problem(problem)
    const received = new NodeRequest(req)
    // A body that was not read must not be judged as missing.
    if (hasBody(req)) received.body = bodyTooLarge
    const now = performance.timeOrigin + performance.now()
    const refused = { ...call, received }
    if (!isPreflight(req)) handler.record(refused, reply, now)
    send(req, res, reply)
    logRequest(log, { req, began, call: refused }, reply.status, reply)
  }

  const respondToPreflight = (req: IncomingMessage, res: ServerResponse, began: number): void => {
    const received = new NodeRequest(req)
    const method = received.header('access-control-request-method') ?? ''
    const { inForce } = instances.handlerFor(sessionOf(req))
    const call = { ...resolveRequest(received), operation: findServed({ method, path: received.path }, inForce) }
    if (refusesPage(req, res, call, began)) return
    const allowed = cors(req, isForwarded(call.operation))
    res.writeHead(204, preflightHeaders(req, servedMethods(inForce), anyMethod, allowed)).end()
    logRequest(log, { req, began }, 204)
  }

  return (req: IncomingMessage, res: ServerResponse, given?: Turn): unknown => {
    const began = onRequest === undefined ? 0 : performance.now()
    if (cors !== noCors && isPreflight(req)) return respondToPreflight(req, res, began)
    const handler = instances.handlerFor(sessionOf(req))
    const received = new NodeRequest(req)
    const call = resolveRequest(received, handler.inForce)
    if (refusesPage(req, res, call, began)) return undefined
    const refusal = repeatedHeader(req) ?? unsupportedTransfer(req)
    if (refusal !== undefined) return refuse(req, res, call, began, refusal)
    if (forwarding?.operations) received.signal = signalOf(res)
    if (forwarding !== undefined && call.operation === undefined)
      return Promise.all([logWhenFinished(log, req, res), forwarding.web(req, res, cors(req, true))])
    const respond = (): unknown => {
      const handled = handler.handle(call)
      return isPromise(handled)
        ? handled.then(({ reply }) => finish(req, res, call, began, reply))
        : finish(req, res, call, began, handled.reply)
    }
    if (!hasBody(req)) {
      skipBody(req)
      return respond()
    }
    const turn = beginReading(req, given)
    return readBody(req, handler.maxBodySize, (body, bytes) => {
      received.body = body
      received.bytes = bytes
      attempt(respond, (error) => guard(req, res, error))
      endTurn(turn)
    })
  }
}

export const signalOf = (res: ServerResponse): AbortSignal => {
  const left = new AbortController()
  res.on('close', () => {
    if (!res.writableFinished) left.abort()
  })
  return left.signal
}
