import type { IncomingMessage, ServerResponse } from 'node:http'
import { bearerIn, tokenHider } from '../../journal/redact.ts'
import type { Worlds } from '../../mock/instances.ts'
import { authenticate } from '../../service/authenticate.ts'
import {
  type Departure,
  type FaultKind,
  type Forwarded,
  notOfTheModel,
  type Reply,
} from '../../http/exchange.ts'
import { NodeExchange, sessionOf } from './exchange.ts'

/** One answered request, as a log wants it. It holds no token. */
export type ServedRequest = {
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
  /** Where the exchange departs from the contract, when that was checked. */
  readonly departures: readonly Departure[]
  readonly milliseconds: number
}

/** Told of each answer when it is handed to the socket. */
export type OnRequest = ((request: ServedRequest) => void) | undefined

/** What a log gets of a request. As in the journal, no token is in it. */
export const served = (
  req: IncomingMessage,
  { pseudonym }: Pick<Worlds, 'pseudonym'>,
  milliseconds: number,
  status: number,
  reply: Reply | undefined,
): ServedRequest => {
  const hide = tokenHider(bearerIn(req.rawHeaders), pseudonym)
  const departures = reply?.forwarded?.departures ?? []
  return {
    method: req.method ?? 'GET',
    url: hide(req.url ?? '/'),
    status,
    caller: reply?.caller === undefined ? undefined : pseudonym(reply.caller),
    problem: reply?.problem,
    fault: reply?.fault,
    session: sessionOf(req),
    by: reply?.forwarded?.by,
    departures: departures.map((departure) => ({ ...departure, detail: hide(departure.detail) })),
    milliseconds,
  }
}

/** An answer that something else gives is in journal and log like the rest, without its bodies. */
export const noteWhenDone = (
  worlds: Pick<Worlds, 'answering' | 'pseudonym'>,
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
    worlds.answering(sessionOf(req)).note(exchange, reply, performance.timeOrigin + began)
    onRequest?.(served(req, worlds, performance.now() - began, status, reply))
  })
}

/** The same for a WebSocket, whose answer is no response of ours. The result is told its status. */
export const noteUpgrade = (
  worlds: Pick<Worlds, 'answering' | 'pseudonym'>,
  onRequest: OnRequest,
  req: IncomingMessage,
): ((status: number) => void) => {
  const exchange = new NodeExchange(req)
  const began = performance.now()
  const authorization = exchange.header('authorization')
  return (status) => {
    const reply = passedReply(status, [], authorization, 'upstream')
    worlds.answering(sessionOf(req)).note(exchange, reply, performance.timeOrigin + began)
    onRequest?.(served(req, worlds, performance.now() - began, status, reply))
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
