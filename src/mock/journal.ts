import type { AssumptionId } from '../contract/assumptions.ts'
import { type OperationId, plantsPath } from '../contract/operations.ts'
import type { ProblemType } from '../contract/problems.ts'
import type { Caller } from '../contract/schemas.ts'
import { departuresOf } from '../service/departures.ts'
import {
  bodyTooLarge,
  type Departure,
  type Exchange,
  type FaultKind,
  type Forwarded,
  type PlantList,
  type Reply,
} from '../service/exchange.ts'
import { operationOf } from '../service/service.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { bearerIn, headerOf, shownHeaders, tokenHider } from './redact.ts'

/** Where an answer may come from. */
export const journalSources = ['contract', 'assumption', 'fault', 'upstream', 'fallback', 'handlers'] as const
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
  /**
   * What the contract states, what the mock assumes beyond it, a fault that was set, the upstream, the model because
   * the upstream was away, or handlers of the user's own.
   */
  readonly source: JournalSource
  /** The assumptions that had a say in the answer. */
  readonly assumptions: readonly AssumptionId[]
  /** The problem type, when the answer is a failure. */
  readonly problem?: ProblemType
  /** What a fault made of the answer. */
  readonly fault?: FaultKind
  /** How long a fault held the answer back, in milliseconds. */
  readonly delay?: number
  /** Where the exchange is not as the contract shows it. The mock's own answers never depart. */
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

/**
 * An exchange as it is kept. What nobody reads is not worked out, and each object serves one exchange after another:
 * what is new in each request would live long enough to be moved to where collecting it costs most.
 */
type Recorded = {
  id: number
  began: number
  milliseconds: number
  method: string
  path: string
  query: string
  headers: readonly string[]
  body: Exchange['body']
  status: number
  answerHeaders: readonly string[]
  answer: PlantList | string | undefined
  operation: OperationId | undefined
  /** The caller's pseudonym. */
  caller: string | undefined
  problem: ProblemType | undefined
  assumptions: readonly AssumptionId[]
  fault: FaultKind | undefined
  delay: number
  forwarded: Forwarded | undefined
  /** What it takes of the budget. */
  weight: number
}

const unused = (): Recorded => ({
  id: -1,
  began: 0.5,
  milliseconds: 0.5,
  method: '',
  path: '',
  query: '',
  headers: [],
  body: undefined,
  status: 0,
  answerHeaders: [],
  answer: undefined,
  operation: undefined,
  caller: undefined,
  problem: undefined,
  assumptions: [],
  fault: undefined,
  delay: 0,
  forwarded: undefined,
  weight: 0,
})

/** How much all journals of a mock keep together; where there is more, the oldest bodies give way, whosever they are. */
export type BodyBudget = {
  left: number
  readonly journals: Set<{ readonly oldestBody: () => number; readonly dropOldestBody: () => void }>
}

export const bodyBudget = (): BodyBudget => ({ left: defaultBodyBudget, journals: new Set() })

const makeRoom = (budget: BodyBudget): void => {
  while (budget.left < 0) {
    const [first, ...others] = budget.journals
    if (first === undefined) return
    const oldest = others.reduce((a, b) => (b.oldestBody() < a.oldestBody() ? b : a), first)
    if (oldest.oldestBody() === Number.POSITIVE_INFINITY) return
    oldest.dropOldestBody()
  }
}

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
  /** Gives back what it keeps, and keeps nothing any more. */
  close(): void
}

/** How many exchanges a journal keeps by default. */
export const defaultJournalSize = 1_000
/** 16 Mi characters of bodies and headers for a whole mock. */
const defaultBodyBudget = 16 * 1024 * 1024

/** The latest `size` exchanges; older ones give way. */
export const createJournal = (size: number, names: Pseudonyms, budget: BodyBudget): Journal => {
  /** A ring: the exchange with id n is at n modulo size. */
  let ring: Recorded[] = []
  let latest = 0
  /** The oldest whose bodies are kept. */
  let bodiesFrom = 1
  let clearedTo = 0
  let isClosed = false

  const repeated = { list: repeats(), create: repeats() }

  const at = (id: number): Recorded | undefined => {
    const recorded = ring[id % size]
    return recorded?.id === id ? recorded : undefined
  }

  const dropBodies = (recorded: Recorded | undefined): void => {
    if (recorded === undefined) return
    budget.left += recorded.weight
    recorded.weight = 0
    if (typeof recorded.body === 'string') recorded.body = dropped
    recorded.answer = undefined
  }

  const share = {
    oldestBody: () => {
      while (bodiesFrom <= latest && at(bodiesFrom) === undefined) bodiesFrom++
      return at(bodiesFrom)?.began ?? Number.POSITIVE_INFINITY
    },
    dropOldestBody: () => dropBodies(at(bodiesFrom++)),
  }
  budget.journals.add(share)

  const ids = function* () {
    for (let id = Math.max(clearedTo + 1, latest - size + 1); id <= latest; id++) yield id
  }

  const kept = (): Recorded[] => [...ids()].flatMap((id) => at(id) ?? [])

  const clear = (): void => {
    for (const recorded of ring) if (recorded !== undefined) dropBodies(recorded)
    ring = []
    clearedTo = latest
    bodiesFrom = latest + 1
  }

  const matching = (filter: RequestFilter = {}): Recorded[] => {
    const recorded = kept()
    return Object.keys(filter).length === 0 ? recorded : recorded.filter((one) => matches(one, filter, names))
  }

  return {
    get latest() {
      return latest
    },
    record(exchange, reply, began, milliseconds) {
      const id = ++latest
      if (size === 0 || isClosed) return
      const kept = ring[id % size] ?? unused()
      ring[id % size] = kept
      budget.left += kept.weight
      const same = exchange.body === undefined ? repeated.list : repeated.create
      kept.id = id
      kept.began = began
      kept.milliseconds = milliseconds
      kept.method = exchange.method
      kept.path = exchange.path === plantsPath ? plantsPath : exchange.path
      kept.query = same.query(exchange.query)
      kept.headers = same.headers(exchange.headers())
      kept.body = exchange.body
      kept.status = reply.status
      kept.answerHeaders = reply.headers
      kept.answer = reply.list === undefined ? reply.body : same.list(reply.list)
      kept.operation = reply.operation
      kept.caller = reply.caller === undefined ? undefined : names.of(reply.caller)
      kept.problem = reply.problem
      kept.assumptions = reply.assumptions
      kept.fault = reply.fault
      kept.delay = reply.delay
      kept.forwarded = reply.forwarded === undefined ? undefined : asKept(reply.forwarded)
      kept.weight = weightOf(kept, same.isNew())
      budget.left -= kept.weight
      if (budget.left < 0) makeRoom(budget)
    },
    entries: (filter) => matching(filter).map((recorded) => asEntry(recorded, names)),
    entry(id) {
      const recorded = id > clearedTo ? at(id) : undefined
      return recorded && asEntry(recorded, names)
    },
    lines: (after, most) =>
      kept()
        .filter(({ id }) => id > after)
        .slice(-most)
        .map((recorded) => asLine(recorded, names)),
    count: (filter) => matching(filter).length,
    clear,
    close() {
      clear()
      isClosed = true
      budget.journals.delete(share)
    },
  }
}

/** A client sends and gets the same again and again: one copy is enough. */
const repeats = () => {
  let query = ''
  let headers: readonly string[] = []
  let isNew = false
  let list: PlantList = { plants: [], count: -1, toString: () => '[]' }
  return {
    query(next: string): string {
      if (next !== query) query = next
      return query
    },
    headers(next: readonly string[]): readonly string[] {
      isNew = !hasSame(next, headers)
      if (isNew) headers = next
      return headers
    },
    /** Whether the last headers were others than those before. */
    isNew: () => isNew,
    list(next: PlantList): PlantList {
      if (next.count !== list.count || !hasSame(next.plants, list.plants)) list = next
      return list
    },
  }
}

const hasSame = (a: readonly unknown[], b: readonly unknown[]): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** In the place of a body that gave way to later ones. */
const dropped: typeof bodyTooLarge = bodyTooLarge

/** Headers that several exchanges share count for the first of them. */
const weightOf = ({ body, answer, headers, path, query }: Recorded, hasNewHeaders: boolean): number =>
  (typeof body === 'string' ? body.length : 0) +
  answerWeight(answer) +
  path.length +
  query.length +
  (hasNewHeaders ? headers.reduce((sum, text) => sum + text.length, 0) : 0)

/** A plant of a list is a reference, eight bytes. */
const answerWeight = (answer: Recorded['answer']): number =>
  typeof answer === 'object' ? answer.plants.length * 8 : (answer?.length ?? 0)

/** The bytes are in the answer's text. */
const asKept = ({ by, departures }: Forwarded): Forwarded => ({ by, ...(departures && { departures }) })

const sourceOf = ({ fault, assumptions, forwarded }: Recorded): JournalSource => {
  if (fault !== undefined) return 'fault'
  if (forwarded !== undefined) return forwarded.by
  return assumptions.length === 0 ? 'contract' : 'assumption'
}

const departuresIn = (recorded: Recorded): readonly Departure[] => {
  const { method, path, query, headers, body, forwarded } = recorded
  if (forwarded?.departures !== undefined) return forwarded.departures
  const header = (name: string) => headerOf(headers, name)
  const text = typeof body === 'string' ? body : undefined
  const operation = operationOf({ method, path })
  return departuresOf({ method, path, query, header, body: text, hasBody: body !== undefined }, operation)
}

const matches = (recorded: Recorded, filter: RequestFilter, names: Pseudonyms): boolean => {
  const { caller } = recorded
  return (
    is(filter.operation, recorded.operation) &&
    is(filter.method, recorded.method) &&
    is(filter.status, recorded.status) &&
    is(filter.problem, recorded.problem) &&
    is(filter.fault, recorded.fault) &&
    is(filter.source, sourceOf(recorded)) &&
    (filter.caller === undefined ||
      (caller !== undefined && (filter.caller === caller || names.find(filter.caller) === caller))) &&
    (filter.departs === undefined || filter.departs === departuresIn(recorded).length > 0)
  )
}

const is = <T>(wanted: T | undefined, value: T | undefined): boolean =>
  wanted === undefined || wanted === value

const asLine = (recorded: Recorded, names: Pseudonyms): JournalLine => {
  const { id, began, milliseconds, method, path, query, headers, status } = recorded
  const { operation, caller, problem, fault, delay, assumptions } = recorded
  const hide = tokenHider(bearerIn(headers), names.of)
  return {
    id,
    time: new Date(began).toISOString(),
    milliseconds: Math.round(milliseconds * 1000) / 1000,
    ...(operation !== undefined && { operation }),
    ...(caller !== undefined && { caller }),
    method,
    url: hide(query === '' ? path : `${path}?${query}`),
    status,
    source: sourceOf(recorded),
    assumptions,
    ...(problem !== undefined && { problem }),
    ...(fault !== undefined && { fault }),
    ...(delay > 0 && { delay }),
    departures: departuresIn(recorded).map((departure) => ({ ...departure, detail: hide(departure.detail) })),
  }
}

const asEntry = (recorded: Recorded, names: Pseudonyms): JournalEntry => {
  const { headers, body, answerHeaders, answer, caller } = recorded
  const hide = tokenHider(bearerIn(headers), names.of)
  const message = (headers: readonly string[], body: unknown): Message => ({
    headers: shownHeaders(headers, caller, hide),
    ...bodyParts(typeof body === 'string' ? hide(body) : undefined),
  })
  return {
    ...asLine(recorded, names),
    request: message(headers, body),
    response: message(answerHeaders, typeof answer === 'object' ? answer.toString() : answer),
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
