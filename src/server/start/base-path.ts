import type { IncomingMessage } from 'node:http'
import { belowControl } from '../../core/http/control-path.ts'
import { resolveRequest } from '../../core/operations/call.ts'
import type { Cors } from '../listener/cors.ts'
import { NodeRequest, requestTarget, sessionOf } from '../listener/exchange.ts'
import { logRequest, type RequestLog } from '../listener/logged-request.ts'
import { endingResponse, type GuardedListener, isPreflight, respond } from '../listener/respond.ts'

export const targetBelow = (req: IncomingMessage, basePath: string): string | undefined => {
  const target = requestTarget(req)
  if (!target.startsWith(basePath)) return undefined
  const rest = target.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : undefined
}

export const underBasePath =
  (basePath: string, log: RequestLog, cors: Cors, next: GuardedListener): GuardedListener =>
  (req, res) => {
    if (basePath === '') return next(req, res)
    const target = targetBelow(req, basePath)
    const received = new NodeRequest(req)
    if (target !== undefined) req.url = target
    if (target !== undefined || isPreflight(req) || received.path === '/' || belowControl(received.path) !== undefined)
      return next(req, res)
    const began = performance.now()
    const handler = log.instances.handlerFor(sessionOf(req))
    const detail = `${received.method} ${received.path} is outside of the base path ${basePath}. Use ${basePath}/plants.`
    const reply = handler.problem({ problem: 'not-found', detail })
    const call = { ...resolveRequest(received), operation: undefined }
    handler.record(call, reply, performance.timeOrigin + began)
    const response = endingResponse(reply)
    respond(res, { ...response, headers: [...response.headers, ...cors(req)] })
    logRequest(log, { req, began, call }, reply.status, reply)
    return undefined
  }
