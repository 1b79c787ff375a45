import type { AssumptionId } from '../contract/assumptions.ts'
import type { OperationId } from '../contract/operations.ts'
import type { ProblemType } from '../contract/problems.ts'
import type { Caller } from '../contract/schemas.ts'
import type { Departure } from '../service/departures.ts'
import { departuresOf } from '../service/departures.ts'
import type { Exchange, FaultKind, Reply } from '../service/exchange.ts'
import { operationOf } from '../service/service.ts'
import { bearerIn, headerOf, shownHeaders, tokenHider } from './redact.ts'

/** Where an answer may come from. */
export const journalSources = ['contract', 'assumption', 'fault'] as const
export type JournalSource = (typeof journalSources)[number]

/** One exchange in short, as a list shows it. No token is in it: callers have pseudonyms. */
export type JournalLine = {
  /** 1 for the first exchange of the world, then one more each. */
  readonly id: number
  /** When the request came (ISO 8601). */
  readonly time: string
  /** From the request to the answer being ready, in milliseconds. */
  readonly milliseconds: number
  readonly operation?: OperationId
  /** The caller's pseudonym, once authenticated. */
  readonly caller?: string
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  readonly status: number
  /** What the contract states, what the mock assumes beyond it, or a fault that was set. */
  readonly source: JournalSource
  /** The assumptions that had a say in the answer. */
  readonly assumptions: readonly AssumptionId[]
  /** The problem type, when the answer is a failure. */
  readonly problem?: ProblemType
  /** What a fault made of the answer. */
  readonly fault?: FaultKind
  /** How long a fault held the answer back, in milliseconds. */
  readonly delay?: number
  /** Where the request is not as the contract shows it. */
  readonly departures: readonly Departure[]
}

/** Headers and body of a request or response. */
export type Message = {
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Left out when there was none, and when it is not kept: too large, not UTF-8, or pushed out by later ones. */
  readonly body?: string
  /** The body, when it is JSON. */
  readonly json?: unknown
}

/** One exchange, as a test or a page sees it. */
export type JournalEntry = JournalLine & { readonly request: Message; readonly response: Message }

/** Which exchanges are meant: each part narrows. */
export type RequestFilter = {
  readonly operation?: OperationId
  readonly method?: string
  readonly status?: number
  /** The caller's token, or its pseudonym. */
  readonly caller?: Caller
  readonly source?: JournalSource
  readonly problem?: ProblemType
  readonly fault?: FaultKind
  /** Only requests that depart from the contract, or only those that do not. */
  readonly departs?: boolean
}

/** An exchange as it is kept: what nobody reads is not worked out. */
type Recorded = {
  readonly id: number
  readonly began: number
  readonly milliseconds: number
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: readonly string[]
  body: string | symbol | undefined
  reply: Reply
}

/** How many characters of bodies all journals of a mock keep together. */
export type BodyBudget = { left: number }

export interface Journal {
  /** The number of exchanges ever recorded; the id of the latest. */
  readonly latest: number
  record(exchange: Exchange, reply: Reply, began: number, milliseconds: number): void
  entries(filter?: RequestFilter): JournalEntry[]
  entry(id: number): JournalEntry | undefined
  /** The exchanges after the one with this id, in short; of many the latest `most`. */
  lines(after: number, most: number): JournalLine[]
  count(filter?: RequestFilter): number
  clear(): void
}

/** How many exchanges a journal keeps by default. */
export const defaultJournalSize = 1_000
/** 16 Mi characters of bodies for a whole mock. */
export const defaultBodyBudget = 16 * 1024 * 1024

/** The latest `size` exchanges; older ones give way. */
export const createJournal = (
  size: number,
  nameOf: (caller: Caller) => string,
  budget: BodyBudget,
): Journal => {
  /** A ring: the exchange with id n is at n modulo size. */
  let ring: (Recorded | undefined)[] = []
  let latest = 0
  /** The oldest whose bodies are kept. */
  let bodiesFrom = 1
  let clearedTo = 0

  const at = (id: number): Recorded | undefined => {
    const recorded = ring[id % size]
    return recorded?.id === id ? recorded : undefined
  }

  const dropBodies = (recorded: Recorded | undefined): void => {
    if (recorded === undefined) return
    budget.left += weightOf(recorded)
    recorded.body = undefined
    recorded.reply = { ...recorded.reply, body: undefined }
  }

  const ids = function* () {
    for (let id = Math.max(clearedTo + 1, latest - size + 1); id <= latest; id++) yield id
  }

  const kept = (): Recorded[] => [...ids()].flatMap((id) => at(id) ?? [])

  const matching = (filter: RequestFilter = {}): Recorded[] => {
    const recorded = kept()
    return Object.keys(filter).length === 0
      ? recorded
      : recorded.filter((one) => matches(one, filter, nameOf))
  }

  return {
    get latest() {
      return latest
    },
    record(exchange, reply, began, milliseconds) {
      if (size === 0) return
      const id = ++latest
      const recorded: Recorded = {
        id,
        began,
        milliseconds,
        method: exchange.method,
        path: exchange.path,
        query: exchange.query,
        headers: exchange.headers(),
        body: exchange.body,
        reply,
      }
      const before = ring[id % size]
      if (before !== undefined && before.id >= bodiesFrom) dropBodies(before)
      ring[id % size] = recorded
      budget.left -= weightOf(recorded)
      while (budget.left < 0 && bodiesFrom <= id) dropBodies(at(bodiesFrom++))
    },
    entries: (filter) => matching(filter).map((recorded) => asEntry(recorded, nameOf)),
    entry(id) {
      const recorded = id > clearedTo ? at(id) : undefined
      return recorded && asEntry(recorded, nameOf)
    },
    lines: (after, most) =>
      kept()
        .filter(({ id }) => id > after)
        .slice(-most)
        .map((recorded) => asLine(recorded, nameOf)),
    count: (filter) => matching(filter).length,
    clear() {
      for (const recorded of kept()) if (recorded.id >= bodiesFrom) dropBodies(recorded)
      ring = []
      clearedTo = latest
      bodiesFrom = latest + 1
    },
  }
}

const weightOf = ({ body, reply }: Recorded): number =>
  (typeof body === 'string' ? body.length : 0) + (reply.body?.length ?? 0)

const sourceOf = ({ fault, assumptions }: Reply): JournalSource => {
  if (fault !== undefined) return 'fault'
  return assumptions.length === 0 ? 'contract' : 'assumption'
}

const departuresIn = ({ method, path, query, headers, body }: Recorded): readonly Departure[] => {
  const header = (name: string) => headerOf(headers, name)
  const text = typeof body === 'string' ? body : undefined
  const operation = operationOf({ method, path })
  return departuresOf({ method, path, query, header, body: text, hasBody: body !== undefined }, operation)
}

const matches = (recorded: Recorded, filter: RequestFilter, nameOf: (caller: Caller) => string): boolean => {
  const { method, reply } = recorded
  const caller = reply.caller
  return (
    is(filter.operation, reply.operation) &&
    is(filter.method, method) &&
    is(filter.status, reply.status) &&
    is(filter.problem, reply.problem) &&
    is(filter.fault, reply.fault) &&
    is(filter.source, sourceOf(reply)) &&
    (filter.caller === undefined ||
      (caller !== undefined && (filter.caller === caller || filter.caller === nameOf(caller)))) &&
    (filter.departs === undefined || filter.departs === departuresIn(recorded).length > 0)
  )
}

const is = <T>(wanted: T | undefined, value: T | undefined): boolean =>
  wanted === undefined || wanted === value

const asLine = (recorded: Recorded, nameOf: (caller: Caller) => string): JournalLine => {
  const { id, began, milliseconds, method, path, query, headers, reply } = recorded
  const { operation, caller, problem, fault, delay } = reply
  const hide = tokenHider(bearerIn(headers), nameOf)
  return {
    id,
    time: new Date(began).toISOString(),
    milliseconds: Math.round(milliseconds * 1000) / 1000,
    ...(operation !== undefined && { operation }),
    ...(caller !== undefined && { caller: nameOf(caller) }),
    method,
    url: hide(query === '' ? path : `${path}?${query}`),
    status: reply.status,
    source: sourceOf(reply),
    assumptions: reply.assumptions,
    ...(problem !== undefined && { problem }),
    ...(fault !== undefined && { fault }),
    ...(delay > 0 && { delay }),
    departures: departuresIn(recorded).map(({ section, detail }) => ({ section, detail: hide(detail) })),
  }
}

const asEntry = (recorded: Recorded, nameOf: (caller: Caller) => string): JournalEntry => {
  const { headers, body, reply } = recorded
  const hide = tokenHider(bearerIn(headers), nameOf)
  const caller = reply.caller === undefined ? undefined : nameOf(reply.caller)
  const message = (headers: readonly string[], body: unknown): Message => ({
    headers: shownHeaders(headers, caller, hide),
    ...bodyParts(typeof body === 'string' ? hide(body) : undefined),
  })
  return {
    ...asLine(recorded, nameOf),
    request: message(headers, body),
    response: message(reply.headers, reply.body),
  }
}

/** A body as text, and parsed where it is JSON. */
const bodyParts = (body: string | undefined): { body?: string; json?: unknown } => {
  if (body === undefined) return {}
  try {
    return { body, json: JSON.parse(body) as unknown }
  } catch {
    return { body }
  }
}
