import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type FaultKind,
  type Forwarded,
  notOfTheModel,
  type Reply,
  type Violation,
} from '../../http/exchange.ts'
import { bearerIn, tokenHider } from '../../journal/redact.ts'
import type { MockInstances } from '../../mock/instances.ts'
import { authenticate } from '../../service/authenticate.ts'
import { NodeExchange, sessionOf } from './exchange.ts'

/** One answered request, as a log wants it. It holds no token. */
export type LoggedRequest = {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  readonly status: number
  /** The pseudonym of the caller, once authenticated. */
  readonly caller: string | undefined
  /** The problem type, when the answer is a failure. */
  readonly problem: string | undefined
  /** What a fault made of the answer. */
  readonly fault: FaultKind | undefined
  /** The session that the request chose. */
  readonly session: string | undefined
  /** Who answered in the place of the model. */
  readonly by: Forwarded['by'] | undefined
  /** Where the exchange violates the contract, when that was checked. */
  readonly violations: readonly Violation[]
  readonly milliseconds: number
}

/** Told of each answer when it is handed to the socket. */
export type OnRequest = ((request: LoggedRequest) => void) | undefined

/** What a log gets of a request. As in the journal, no token is in it. */
export const loggedRequest = (
  req: IncomingMessage,
  { pseudonym }: Pick<MockInstances, 'pseudonym'>,
  milliseconds: number,
  status: number,
  reply: Reply | undefined,
): LoggedRequest => {
  const hide = tokenHider(bearerIn(req.rawHeaders), pseudonym)
  const violations = reply?.forwarded?.violations ?? []
  return {
    method: req.method ?? 'GET',
    url: hide(req.url ?? '/'),
    status,
    caller: reply?.caller === undefined ? undefined : pseudonym(reply.caller),
    problem: reply?.problem,
    fault: reply?.fault,
    session: sessionOf(req),
    by: reply?.forwarded?.by,
    violations: violations.map((violation) => ({ ...violation, detail: hide(violation.detail) })),
    milliseconds,
  }
}

/** An answer that something else gives is in journal and log like the rest, without its bodies. */
export const noteWhenDone = (
  instances: Pick<MockInstances, 'answering' | 'pseudonym'>,
  onRequest: OnRequest,
  req: IncomingMessage,
  res: ServerResponse,
  by: Forwarded['by'],
): void => {
  const exchange = new NodeExchange(req)
  const began = performance.now()
  res.on('close', () => {
    // Nothing was answered when the client left before.
    const status = res.headersSent ? res.statusCode : abandoned
    const headers = Object.entries(res.getHeaders()).flatMap(([name, value]) => [name, String(value)])
    const reply = passedReply(status, headers, exchange.header('authorization'), by)
    instances.answering(sessionOf(req)).note(exchange, reply, performance.timeOrigin + began)
    onRequest?.(loggedRequest(req, instances, performance.now() - began, status, reply))
  })
}

/** The same for a WebSocket, whose answer is no response of ours. The result is told its status. */
export const noteUpgrade = (
  instances: Pick<MockInstances, 'answering' | 'pseudonym'>,
  onRequest: OnRequest,
  req: IncomingMessage,
): ((status: number) => void) => {
  const exchange = new NodeExchange(req)
  const began = performance.now()
  const authorization = exchange.header('authorization')
  return (status) => {
    const reply = passedReply(status, [], authorization, 'upstream')
    instances.answering(sessionOf(req)).note(exchange, reply, performance.timeOrigin + began)
    onRequest?.(loggedRequest(req, instances, performance.now() - began, status, reply))
  }
}

/** As proxies note a client that left before the answer; no status of HTTP says it. */
const abandoned = 499

/** An answer that went by, as far as it was seen. */
const passedReply = (
  status: number,
  headers: readonly string[],
  authorization: string | undefined,
  by: Forwarded['by'],
): Reply => {
  const credentials = authenticate(authorization)
  return {
    ...notOfTheModel,
    status,
    headers,
    body: undefined,
    operation: undefined,
    caller: 'token' in credentials ? credentials.token : undefined,
    forwarded: { by },
  }
}
