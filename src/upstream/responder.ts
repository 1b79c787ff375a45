import type { Caller } from '../contract/schemas.ts'
import {
  bodyTooLarge,
  discardRest,
  type Exchange,
  type Origin,
  type Reply,
  type Violation,
} from '../http/exchange.ts'
import type { OperationId } from '../operations/operations.ts'
import { authenticate } from '../service/authenticate.ts'
import { mostHeld } from '../service/body-limit.ts'
import { replyViolationsIn } from '../service/reply-violations.ts'
import { requestViolationsIn } from '../service/request-violations.ts'
import { operationOf } from '../service/service.ts'
import { hold, textOf } from './body.ts'
import { failureOf, UpstreamTimeout } from './failure.ts'
import { bagOf, endToEnd, type HeaderBag, hasPassed, pairsOf } from './headers.ts'
import type { UpstreamOptions } from './options.ts'
import { type About, fallbackReply, forwardedReply, problemReply } from './reply.ts'
import { send, type Way } from './send.ts'
import { nameOf } from './target.ts'

/** What the upstream answered to one of the contract's operations, for whoever wants to remember it. */
export type Observed = {
  readonly operation: OperationId
  readonly caller: Caller
  readonly query: string
  readonly sent: string | undefined
  readonly answered: string
}

export type OriginOptions = Way &
  Pick<UpstreamOptions, 'check' | 'fallback'> & {
    readonly onAnswer?: ((observed: Observed) => void) | undefined
  }

/** The contract's operations as the upstream answers them. Bytes go through as they are. */
export const upstreamOrigin = (options: OriginOptions): Origin => {
  const { target, timeout, check, fallback, station, onAnswer } = options
  const name = nameOf(target)

  const ask = async (exchange: Exchange, about: About): Promise<Reply> => {
    const asked = check === undefined ? undefined : requestViolations(exchange)
    if (check === 'strict' && asked !== undefined && asked.length > 0) return refused(asked, about)
    const { status, headers, bytes, rest } = await askUpstream(exchange, options)
    const text = rest === undefined ? textOf(bytes, single(headers['content-encoding'])) : undefined
    // What could not be held or read is not judged.
    const answered = asked && [
      ...asked,
      ...(text === undefined ? [] : replyViolations(exchange, status, headers, text)),
    ]
    if (check === 'strict' && answered !== undefined && answered.length > 0) {
      discardRest({ rest })
      return refused(answered, about)
    }
    if (status < 300 && text !== undefined) observe(exchange, about, text)
    return forwardedReply(status, pairsOf(endToEnd(headers)), bytes.length === 0 ? undefined : text, about, {
      by: 'upstream',
      bytes,
      ...(rest !== undefined && { rest }),
      ...(answered !== undefined && { violations: answered }),
    })
  }

  const observe = (exchange: Exchange, { operation, caller }: About, answered: string): void => {
    if (operation === undefined || caller === undefined || exchange.method === 'HEAD') return
    const sent = typeof exchange.body === 'string' ? exchange.body : undefined
    onAnswer?.({ operation, caller, query: exchange.query, sent, answered })
  }

  return async (exchange, model) => {
    const about = aboutOf(exchange)
    if (hasPassed(exchange.header('via'), station))
      return problemReply('forwarding-loop', `${name} sends requests back to this mock.`, about)
    if (exchange.body === bodyTooLarge)
      return problemReply(
        'body-too-large',
        `A body may have ${mostHeld / 1024 / 1024} MiB on its way through.`,
        about,
      )
    try {
      return await ask(exchange, about)
    } catch (error) {
      const { problem, detail } = failureOf(error, name, timeout)
      return fallback ? fallbackReply(await model(), problem) : problemReply(problem, detail, about)
    }
  }
}

const aboutOf = (exchange: Exchange): About => {
  const credentials = authenticate(exchange.header('authorization'))
  return {
    operation: operationOf(exchange),
    caller: 'token' in credentials ? credentials.token : undefined,
  }
}

type Answer = {
  readonly status: number
  readonly headers: HeaderBag
  readonly bytes: Uint8Array
  readonly rest: AsyncIterable<Uint8Array> | undefined
}

/** Asks the upstream; the time counts until the answer is here, as far as it is held. */
const askUpstream = async (exchange: Exchange, way: OriginOptions): Promise<Answer> => {
  const { method, path, query } = exchange
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(), way.timeout)
  const body = exchange.bytes ?? (typeof exchange.body === 'string' ? Buffer.from(exchange.body) : undefined)
  try {
    const response = await send(way, {
      method,
      path: `${path}${query === '' ? '' : `?${query}`}`,
      headers: readable(bagOf(exchange.headers()), way),
      body,
      signal: leaving.signal,
    })
    const { bytes, rest } = await hold(response)
    return { status: response.statusCode ?? 502, headers: bagOf(response.rawHeaders), bytes, rest }
  } catch (error) {
    throw leaving.signal.aborted ? new UpstreamTimeout() : error
  } finally {
    clearTimeout(timer)
  }
}

/** What is to be looked at has to come in a form that can be read. */
const readable = (headers: HeaderBag, { check, onAnswer }: OriginOptions): HeaderBag => {
  const accepted = single(headers['accept-encoding'])
  if (accepted === undefined || (check === undefined && onAnswer === undefined)) return headers
  const known = accepted.split(',').filter((part) => /^\s*(?:gzip|br|deflate|identity)\b/i.test(part))
  return { ...headers, 'accept-encoding': known.join(',') || 'identity' }
}

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

const requestViolations = (exchange: Exchange): readonly Violation[] =>
  requestViolationsIn(
    {
      method: exchange.method,
      path: exchange.path,
      query: exchange.query,
      header: (name) => exchange.header(name),
      body: typeof exchange.body === 'string' ? exchange.body : undefined,
      hasBody: exchange.body !== undefined,
    },
    operationOf(exchange),
  )

const replyViolations = (
  exchange: Exchange,
  status: number,
  headers: HeaderBag,
  body: string,
): readonly Violation[] => {
  const operation = operationOf(exchange)
  if (operation === undefined || exchange.method === 'HEAD') return []
  const sent = typeof exchange.body === 'string' ? exchange.body : undefined
  const contentType = single(headers['content-type'])
  return replyViolationsIn(operation, { query: exchange.query, body: sent }, { status, contentType, body })
}

const refused = (violations: readonly Violation[], about: About): Reply => {
  const [first] = violations
  const more = violations.length === 1 ? '' : ` And ${violations.length - 1} more.`
  return problemReply(
    'upstream-violation',
    `The ${first?.in} violates section ${first?.section}: ${first?.detail}${more}`,
    about,
    violations,
  )
}
