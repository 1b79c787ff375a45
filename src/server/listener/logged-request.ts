import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Pseudonym } from '../../core/contract/caller.ts'
import { type ShownViolations, showViolations } from '../../core/contract/violation.ts'
import { maxHeldBody } from '../../core/http/exchange.ts'
import { missingHeaders, type RawHeaders } from '../../core/http/headers.ts'
import { type FaultKind, type Reply, type RespondedBy, reply } from '../../core/http/reply.ts'
import { redactorOf } from '../../core/journal/redact.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { recordOverride } from '../../core/mock/overrides.ts'
import { type ResolvedRequest, resolveRequest } from '../../core/operations/call.ts'
import { requestViolations } from '../../core/operations/violations.ts'
import { bodyOf, hasBody, NodeRequest, sessionOf, textOf } from './exchange.ts'

/** A finished request, as passed to `onRequest`. Contains no token. */
export type LoggedRequest = ShownViolations & {
  readonly method: string
  readonly url: string
  /** The status of the response. 0 if a fault reset the connection before a response. */
  readonly status: number
  /** The pseudonym of the caller; `undefined` if the request was not authenticated. */
  readonly caller: Pseudonym | undefined
  readonly problem: string | undefined
  readonly fault: FaultKind | undefined
  readonly session: string | undefined
  readonly by: RespondedBy | undefined
  readonly milliseconds: number
}

export type OnRequest = ((request: LoggedRequest) => void) | undefined

export type RequestLog = {
  readonly instances: Pick<MockInstances, 'callers' | 'handlerFor' | 'overrides'>
  readonly onRequest: OnRequest
}

type Started = {
  readonly req: IncomingMessage
  readonly began: number
  readonly call?: ResolvedRequest
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
  const redact = redactorOf({ headers: req.rawHeaders, responseHeaders: reply?.headers ?? [] }, callers)
  const found = forwarded?.violations ?? (call && requestViolations(call.received, call.operation))
  const { violations, ...omitted } = showViolations(found ?? [])
  onRequest({
    method: req.method ?? 'GET',
    // perf: tests for a plain URL first, because redaction takes ten times as long (`npm run bench`, request log).
    url: plainUrl.test(url) ? url : redact(url),
    status,
    caller: caller === undefined ? undefined : callers.pseudonymOf(caller),
    problem,
    fault,
    session: session === undefined ? undefined : redact(session),
    by: forwarded?.by,
    violations: violations.map((violation) => ({ ...violation, detail: redact(violation.detail) })),
    ...omitted,
    milliseconds: performance.now() - began,
  })
}

const plainUrl = /^\/[a-z]{0,12}(?:\?limit=\d{0,12})?$/

export const logWhenFinished = async (log: RequestLog, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const note = recordLater(log, req)
  await isClosed(res)
  note(res.headersSent ? res.statusCode : clientClosed, headersOf(res))
}

export const recordLater = (log: RequestLog, req: IncomingMessage) => {
  const call = resolveRequest(new NodeRequest(req))
  const { token } = call.credentials
  const began = performance.now()
  return (status: number, headers: RawHeaders = []): void => {
    const response = reply(status, headers, undefined, { caller: token, forwarded: { by: 'upstream' } })
    log.instances.handlerFor(sessionOf(req)).record(call, response, performance.timeOrigin + began)
    logRequest(log, { req, began }, status, response)
  }
}

export const watchOverride = async (
  log: RequestLog,
  req: IncomingMessage & { body?: unknown },
  res: ServerResponse,
  isRespondedByMock: () => boolean = () => false,
): Promise<void> => {
  const received = new NodeRequest(req)
  const call = resolveRequest(received, log.instances.handlerFor(sessionOf(req)).inForce)
  const began = performance.now()
  const sent = captureResponse(res)
  await isClosed(res)
  if (isRespondedByMock()) return
  const milliseconds = performance.now() - began
  if (req.body !== undefined && hasBody(req)) received.body = await bodyOf(req, maxHeldBody)
  const { reply, problem } = recordOverride(log.instances, sessionOf(req), {
    call,
    status: res.headersSent ? res.statusCode : clientClosed,
    ...sent(),
    receivedAt: performance.timeOrigin + began,
    milliseconds,
  })
  logRequest(log, { req, began }, reply.status, reply)
  if (problem !== undefined && log.onRequest === undefined) log.instances.overrides.report(problem)
}

const captureResponse = (res: ServerResponse) => {
  const chunks: Buffer[] = []
  let size = 0
  let given: unknown
  const before = (method: 'writeHead' | 'write' | 'end', note: (args: readonly unknown[]) => void): void => {
    const original = res[method] as (...args: unknown[]) => unknown
    const captured = (...args: unknown[]): unknown => {
      note(args)
      return original.apply(res, args)
    }
    Object.assign(res, { [method]: captured })
  }
  const keep = ([chunk, encoding]: readonly unknown[]): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const given = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, given) : Buffer.from(chunk)
    size += bytes.length
    if (size <= maxHeldBody) chunks.push(bytes)
  }
  // Intercepts `writeHead`, because `res.getHeaders()` lacks the headers that are passed only to `writeHead`.
  before('writeHead', (args) => {
    given = args.at(-1)
  })
  before('write', keep)
  before('end', keep)
  return () => {
    const known = headersOf(res)
    return {
      headers: [...known, ...missingHeaders(known, rawHeadersOf(given))],
      body: res.writableFinished && size <= maxHeldBody ? textOf(Buffer.concat(chunks)) : undefined,
    }
  }
}

const rawHeadersOf = (given: unknown): RawHeaders =>
  typeof given !== 'object' || given === null
    ? []
    : (Array.isArray(given) ? given.flat() : Object.entries(given).flat()).map(String)

const isClosed = (res: ServerResponse): Promise<void> => new Promise((resolve) => void res.on('close', resolve))

const headersOf = (res: ServerResponse): RawHeaders =>
  Object.entries(res.getHeaders()).flatMap(([name, value]) => [name, String(value)])

/** The status that nginx logs for a client that disconnects before the response. */
export const clientClosed = 499
