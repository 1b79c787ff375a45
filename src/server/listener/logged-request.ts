import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Pseudonym } from '../../core/contract/caller.ts'
import { type ShownViolations, showViolations } from '../../core/contract/violation.ts'
import type { RawHeaders } from '../../core/http/headers.ts'
import type { Redact } from '../../core/http/redact.ts'
import { type FaultKind, type Reply, type RespondedBy, reply } from '../../core/http/reply.ts'
import { redactorOf } from '../../core/journal/redact.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { type Call, resolveCall } from '../../core/service/call.ts'
import { requestViolations } from '../../core/service/violations.ts'
import { NodeExchange, sessionOf } from './exchange.ts'

/**
 * One request with its response, for a log, with the violations of the contract. It contains no token.
 */
export type LoggedRequest = ShownViolations & {
  readonly method: string
  readonly url: string
  readonly status: number
  /** The pseudonym of the caller, if it was authenticated. */
  readonly caller: Pseudonym | undefined
  readonly problem: string | undefined
  readonly fault: FaultKind | undefined
  readonly session: string | undefined
  /** Who responded instead of the model. */
  readonly by: RespondedBy | undefined
  readonly milliseconds: number
}

export type OnRequest = ((request: LoggedRequest) => void) | undefined

/** The mock behind a listener, and who receives its requests. */
export type RequestLog = {
  readonly instances: Pick<MockInstances, 'callers' | 'handlerFor'>
  readonly onRequest: OnRequest
}

/** A request under way. `began` is by `performance.now()`. */
type Started = {
  readonly req: IncomingMessage
  readonly began: number
  /** Checked for violations, unless that was done where it was forwarded. */
  readonly call?: Call
}

export const logRequest = (
  { instances: { callers }, onRequest }: RequestLog,
  { req, began, call }: Started,
  status: number,
  reply?: Reply,
): void => {
  if (onRequest === undefined) return
  const { caller, problem, fault, forwarded } = reply?.meta ?? {}
  const { url = '/' } = req
  const session = sessionOf(req)
  const exchange = { headers: req.rawHeaders, responseHeaders: reply?.headers ?? [], query: url.split('?', 2)[1] }
  const redact = redactorOf(exchange, callers)
  const violations = forwarded?.violations ?? (call && requestViolations(call.exchange, call.operation))
  onRequest({
    method: req.method ?? 'GET',
    // perf: a tenth of the time of a search for secrets (`npm run bench`, request log).
    url: plainUrl.test(url) ? url : redact(url),
    status,
    caller: caller === undefined ? undefined : callers.pseudonymOf(caller),
    problem,
    fault,
    session: session === undefined ? undefined : redact(session),
    by: forwarded?.by,
    ...(violations === undefined ? none : redacted(showViolations(violations), redact)),
    milliseconds: performance.now() - began,
  })
}

const plainUrl = /^\/[a-z]{0,12}(?:\?limit=\d{0,12})?$/

const none: ShownViolations = { violations: [] }

const redacted = ({ violations, ...omitted }: ShownViolations, redact: Redact): ShownViolations => ({
  violations: violations.map((violation) => ({ ...violation, detail: redact(violation.detail) })),
  ...omitted,
})

/** Records and logs a response of something else, without bodies, as soon as it is finished. */
export const logWhenFinished = (
  log: RequestLog,
  req: IncomingMessage,
  res: ServerResponse,
  by: RespondedBy,
): Promise<void> => {
  const note = recordLater(log, req, by)
  return new Promise<void>((resolve) => res.on('close', resolve)).then(() => {
    const headers = Object.entries(res.getHeaders()).flatMap(([name, value]) => [name, String(value)])
    note(res.headersSent ? res.statusCode : clientClosed, headers)
  })
}

/** The same for a WebSocket, which has no `ServerResponse`. The result receives the status of the upgrade. */
export const logUpgrade = (log: RequestLog, req: IncomingMessage): ((status: number) => void) => {
  const note = recordLater(log, req, 'upstream')
  return (status) => note(status, [])
}

const recordLater = (log: RequestLog, req: IncomingMessage, by: RespondedBy) => {
  const call = resolveCall(new NodeExchange(req))
  const { token } = call.credentials
  const began = performance.now()
  return (status: number, headers: RawHeaders): void => {
    const response = reply(status, headers, undefined, { caller: token, forwarded: { by } })
    log.instances.handlerFor(sessionOf(req)).record(call, response, performance.timeOrigin + began)
    logRequest(log, { req, began }, status, response)
  }
}

/** The status with which proxies log a client that disconnected before the response; HTTP has none. */
const clientClosed = 499
