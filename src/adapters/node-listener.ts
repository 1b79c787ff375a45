import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { bearerIn, tokenHider } from '../mock/redact.ts'
import { sessionHeader } from '../mock/session-id.ts'
import type { Worlds } from '../mock/worlds.ts'
import { authenticate } from '../service/authenticate.ts'
import {
  type Delivery,
  type Departure,
  discardRest,
  type Exchange,
  type FaultKind,
  type Forwarded,
  type Reply,
} from '../service/exchange.ts'
import { operationOf } from '../service/service.ts'
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts'
import { dripInterval } from './fetch.ts'
import { hasBody, readBody } from './node-body.ts'

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

export type ListenerOptions = {
  /** Answer pages of any origin, preflights included. */
  readonly cors: boolean
  /** Tell pages that any method may be sent: more than the contract is served. Default: false. */
  readonly anyMethod?: boolean
  /** Told of each answer when it is handed to the socket. */
  readonly onRequest?: ((request: ServedRequest) => void) | undefined
  /** Aborted once the server is closing: answers then end their connection, and what never ends is cut off. */
  readonly closing?: AbortSignal
  /** Asked first; true when it has taken the request. */
  readonly first?: (req: IncomingMessage, res: ServerResponse) => boolean
  /** Takes what is not one of the contract's operations; `headers` are for its answer. */
  readonly elsewhere?:
    | ((req: IncomingMessage, res: ServerResponse, headers: readonly string[]) => void)
    | undefined
}

/** A request of node:http as plain data. Its body is set once it is read. */
export class NodeExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  body: Exchange['body'] = undefined
  bytes: Uint8Array | undefined = undefined
  readonly #req: IncomingMessage

  constructor(req: IncomingMessage) {
    this.#req = req
    this.method = req.method ?? 'GET'
    const url = targetOf(req)
    const mark = url.indexOf('?')
    this.path = mark === -1 ? url : url.slice(0, mark)
    this.query = mark === -1 ? '' : url.slice(mark + 1)
  }

  header(name: string): string | undefined {
    const value = this.#req.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  headers(): readonly string[] {
    return this.#req.rawHeaders
  }
}

/** A proxy may send the absolute form (RFC 9112, 3.2.2); what counts is path and query. */
export const targetOf = ({ url = '/' }: IncomingMessage): string =>
  url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '') || '/'

/** A listener for `http.createServer`, over one mock. */
export const nodeListener = (
  worlds: Pick<Worlds, 'answering' | 'pseudonym'>,
  { cors, anyMethod = false, onRequest, closing, first, elsewhere }: ListenerOptions,
) => {
  const { answering } = worlds
  const report = (req: IncomingMessage, began: number, status: number, reply?: Reply): void =>
    onRequest?.(served(req, worlds, performance.now() - began, status, reply))

  return (req: IncomingMessage, res: ServerResponse): void => {
    if (first?.(req, res)) return
    const began = onRequest === undefined ? 0 : performance.now()
    if (cors && isPreflight(req)) {
      res.writeHead(204, [...preflightHeaders(req, anyMethod)])
      res.end()
      report(req, began, 204)
      return
    }
    const world = answering(sessionOf(req))
    const exchange = new NodeExchange(req)
    if (elsewhere !== undefined && operationOf(exchange) === undefined) {
      noteWhenDone(worlds, onRequest, req, res, 'upstream')
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
      if (closing?.aborted) headers.push('Connection', 'close')
      hand(res, reply, headers, closing)
      if (onRequest !== undefined) report(req, began, reply.status, reply)
    }
    const answer = (body: Exchange['body'], bytes?: Uint8Array): void => {
      exchange.body = body
      exchange.bytes = bytes
      const reply = world.handle(exchange)
      if (reply instanceof Promise) reply.then(write)
      else write(reply)
    }
    if (hasBody(req)) readBody(req, world.bodyLimit, answer)
    else answer(undefined)
  }
}

/** The same for a WebSocket, whose answer is no response of ours. The result is told its status. */
export const noteUpgrade = (
  worlds: Pick<Worlds, 'answering' | 'pseudonym'>,
  onRequest: ListenerOptions['onRequest'],
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

const sessionOf = ({ headers }: IncomingMessage): string | undefined => {
  const session = headers[sessionHeader]
  return Array.isArray(session) ? session.join(', ') : session
}

/** How an answer is handed over that is not to arrive whole. */
const deliver: Readonly<
  Record<
    Delivery,
    (res: ServerResponse, reply: Reply, headers: string[], closing: AbortSignal | undefined) => void
  >
> = {
  reset: (res) => res.socket?.resetAndDestroy(),

  truncate(res, { status, body = '' }, headers) {
    res.writeHead(status, headers)
    const bytes = Buffer.from(body)
    res.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => res.destroy())
  },

  drip(res, { status }, headers, closing) {
    const length = headers.indexOf('Content-Length')
    if (length !== -1) headers.splice(length, 2)
    res.writeHead(status, headers)
    res.flushHeaders()
    const timer = setInterval(() => res.write(' '), dripInterval)
    const cutOff = () => res.destroy()
    closing?.addEventListener('abort', cutOff)
    res.on('close', () => {
      clearInterval(timer)
      closing?.removeEventListener('abort', cutOff)
    })
  },
}

/** What a log gets of a request. As in the journal, no token is in it. */
const served = (
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
  onRequest: ListenerOptions['onRequest'],
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
    status,
    headers,
    body: undefined,
    operation: undefined,
    caller: 'token' in credentials ? credentials.token : undefined,
    problem: undefined,
    assumptions: [],
    list: undefined,
    cut: false,
    fault: undefined,
    delivery: undefined,
    delay: 0,
    forwarded: { by },
  }
}

const hasOwnCors = ({ forwarded, headers }: Reply): boolean =>
  forwarded !== undefined && headers.some((text) => text.toLowerCase() === 'access-control-allow-origin')

/** Hands an answer over. Headers that node:http refuses would end the whole process; this answer alone ends. */
const hand = (
  res: ServerResponse,
  reply: Reply,
  headers: string[],
  closing: AbortSignal | undefined,
): void => {
  try {
    if (reply.delivery === undefined) {
      res.writeHead(reply.status, headers)
      end(res, reply)
    } else deliver[reply.delivery](res, reply, headers, closing)
  } catch {
    discardRest(reply.forwarded ?? { rest: undefined })
    res.destroy()
  }
}

/** The body: as text, as the bytes that came, or as a stream where it is too large to hold. */
const end = (res: ServerResponse, { body, forwarded }: Reply): void => {
  if (forwarded?.rest === undefined) {
    res.end(forwarded?.bytes ?? body)
    return
  }
  res.write(forwarded.bytes)
  pipeline(Readable.from(forwarded.rest), res, () => undefined)
}

/** Those of the reply, and the length that goes with its body (RFC 9110, 8.6: none with 204). */
const headersOf = ({ status, headers, body, forwarded }: Reply): string[] => {
  const result = headers.slice()
  // An answer of the upstream has its own, also where there is no body to measure (HEAD, 304).
  if (forwarded?.bytes !== undefined) return result
  if (body !== undefined) result.push('Content-Length', String(Buffer.byteLength(body)))
  else if (status !== 204) result.push('Content-Length', '0')
  return result
}
