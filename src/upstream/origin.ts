import type { Agent } from 'node:http'
import { proxyFetch } from 'httpxy'
import type { OperationId } from '../contract/operations.ts'
import type { Caller } from '../contract/schemas.ts'
import { authenticate } from '../service/authenticate.ts'
import { departuresOf } from '../service/departures.ts'
import { departuresInAnswer } from '../service/departures-in-answer.ts'
import { bodyTooLarge, type Departure, type Exchange, type Origin, type Reply } from '../service/exchange.ts'
import { operationOf } from '../service/service.ts'
import { hold, mostHeld, textOf } from './content.ts'
import { failureOf, UpstreamTimeout } from './failure.ts'
import { bagOf, endToEnd, type HeaderBag, hasPassed, pairsOf, withVia } from './headers.ts'
import type { UpstreamOptions } from './options.ts'
import { type About, fallbackReply, forwardedReply, problemReply } from './reply.ts'
import { nameOf } from './target.ts'

/** What the upstream answered to one of the contract's operations, for whoever wants to remember it. */
export type Observed = {
  readonly operation: OperationId
  readonly caller: Caller
  readonly query: string
  readonly sent: string | undefined
  readonly answered: string
}

export type OriginOptions = Pick<UpstreamOptions, 'check' | 'fallback'> & {
  readonly target: URL
  readonly timeout: number
  readonly agent: Agent
  /** The name of this mock in `Via`. */
  readonly station: string
  readonly onAnswer?: ((observed: Observed) => void) | undefined
}

/** The contract's operations as the upstream answers them. Bytes go through as they are. */
export const upstreamOrigin = (options: OriginOptions): Origin => {
  const { target, timeout, check, fallback, station, onAnswer } = options
  const name = nameOf(target)

  const ask = async (exchange: Exchange, about: About): Promise<Reply> => {
    const asked = check === undefined ? undefined : requestDepartures(exchange)
    if (check === 'strict' && asked !== undefined && asked.length > 0) return refused(asked, about)
    const { status, headers, bytes, rest } = await send(exchange, options)
    const text = rest === undefined ? textOf(bytes, single(headers['content-encoding'])) : undefined
    const answered = asked && [
      ...asked,
      ...answerDepartures(exchange, status, headers, text, rest !== undefined),
    ]
    if (check === 'strict' && answered !== undefined && answered.length > 0) {
      await discard(rest)
      return refused(answered, about)
    }
    if (status < 300 && text !== undefined) observe(exchange, about, text)
    return forwardedReply(status, pairsOf(endToEnd(headers)), bytes.length === 0 ? undefined : text, about, {
      by: 'upstream',
      bytes,
      ...(rest !== undefined && { rest }),
      ...(answered !== undefined && { departures: answered }),
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
const send = async (
  exchange: Exchange,
  { target, timeout, agent, station }: OriginOptions,
): Promise<Answer> => {
  const { method, path, query } = exchange
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(new UpstreamTimeout()), timeout)
  const body = exchange.bytes ?? (typeof exchange.body === 'string' ? exchange.body : undefined)
  try {
    const response = await proxyFetch(
      target.href,
      `${target.origin}${path}${query === '' ? '' : `?${query}`}`,
      {
        method,
        headers: asRecord(withVia(endToEnd(bagOf(exchange.headers())), station)),
        ...(body !== undefined && { body: body as BodyInit }),
        signal: leaving.signal,
      },
      { changeOrigin: true, agent },
    )
    const { bytes, rest } = await hold(response.body)
    return { status: response.status, headers: bagOf([...response.headers].flat()), bytes, rest }
  } catch (error) {
    throw leaving.signal.aborted ? leaving.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

/** The types of fetch know no several values of one name; node:http does. */
const asRecord = (bag: HeaderBag): Record<string, string> => bag as Record<string, string>

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

const requestDepartures = (exchange: Exchange): readonly Departure[] =>
  departuresOf(
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

/** What is too large to hold is not looked at. */
const answerDepartures = (
  exchange: Exchange,
  status: number,
  headers: HeaderBag,
  body: string | undefined,
  isLarge: boolean,
): readonly Departure[] => {
  const operation = operationOf(exchange)
  if (operation === undefined || isLarge || exchange.method === 'HEAD') return []
  const sent = typeof exchange.body === 'string' ? exchange.body : undefined
  const contentType = single(headers['content-type'])
  return departuresInAnswer(operation, { query: exchange.query, body: sent }, { status, contentType, body })
}

const refused = (departures: readonly Departure[], about: About): Reply => {
  const [first] = departures
  const more = departures.length === 1 ? '' : ` And ${departures.length - 1} more.`
  return problemReply(
    'upstream-departs',
    `The ${first?.in} departs from section ${first?.section}: ${first?.detail}${more}`,
    about,
    departures,
  )
}

const discard = async (rest: AsyncIterable<Uint8Array> | undefined): Promise<void> => {
  await rest?.[Symbol.asyncIterator]().return?.()
}
