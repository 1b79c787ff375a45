import { type OperationId, operationIds } from '../contract/operation-ids.ts'
import { bodyTooLarge } from '../http/exchange.ts'
import type { RawHeaders } from '../http/headers.ts'
import type { Reply } from '../http/reply.ts'
import { operations } from '../operations/operations.ts'
import type { Call } from '../service/call.ts'
import { enforceBudget, type JournalBudget } from './budget.ts'
import type { CallerRegistry } from './callers.ts'
import { type JournalEntry, type JournalLine, matches, type RequestFilter, toEntry, toLine } from './entry.ts'
import { type Recorded, unusedEntry } from './recorded.ts'
import { truncateEntry } from './truncate.ts'

/** The latest exchanges of one mock instance. */
export interface Journal {
  /** The number of exchanges ever recorded, and the id of the latest. */
  readonly latest: number
  /**
   * @param received In milliseconds since 1970.
   * @param milliseconds Until the response was ready.
   */
  record(call: Call, reply: Reply, received: number, milliseconds: number): void
  /** The oldest first. */
  entries(filter?: RequestFilter): JournalEntry[]
  entry(id: number): JournalEntry | undefined
  /** The exchanges after the one with this id; at most the latest `max`. */
  lines(after: number, max: number): JournalLine[]
  count(filter?: RequestFilter): number
  clear(): void
  /** Returns its share of the budget, and records nothing more. */
  close(): void
}

/** How many exchanges a journal keeps by default. */
export const defaultJournalSize = 1_000

/** A journal of the latest `size` exchanges; older ones are evicted. */
export const createJournal = (size: number, callers: CallerRegistry, budget: JournalBudget): Journal => {
  /** The exchange with id n is at n modulo size. */
  let ring: Recorded[] = []
  let latest = 0
  /** The id of the oldest entry whose body is kept. */
  let oldestWithBody = 1
  let clearedTo = 0
  let isClosed = false
  const repeated = repeatedByOperation()

  const find = (id: number): Recorded | undefined => {
    const recorded = ring[id % size]
    return recorded?.id === id ? recorded : undefined
  }

  const evictBody = (recorded: Recorded | undefined): void => {
    if (recorded === undefined) return
    budget.available += recorded.weight
    recorded.weight = 0
    // Remembers that there was a body.
    if (typeof recorded.body === 'string') recorded.body = bodyTooLarge
    recorded.responseBody = undefined
    truncateEntry(recorded, callers)
  }

  const member = {
    oldestBody: () => {
      while (oldestWithBody <= latest && find(oldestWithBody) === undefined) oldestWithBody++
      return find(oldestWithBody)?.received ?? Number.POSITIVE_INFINITY
    },
    evictOldestBody: () => evictBody(find(oldestWithBody++)),
  }
  budget.members.add(member)

  const kept = (filter: RequestFilter = {}): Recorded[] => {
    const entries: Recorded[] = []
    const isFiltered = Object.keys(filter).length > 0
    for (let id = Math.max(clearedTo + 1, latest - size + 1); id <= latest; id++) {
      const recorded = find(id)
      if (recorded !== undefined && (!isFiltered || matches(recorded, filter, callers))) entries.push(recorded)
    }
    return entries
  }

  const clear = (): void => {
    for (const recorded of ring) evictBody(recorded)
    ring = []
    clearedTo = latest
    oldestWithBody = latest + 1
  }

  return {
    get latest() {
      return latest
    },
    record(call, reply, received, milliseconds) {
      const id = ++latest
      if (size === 0 || isClosed) return
      const recorded = ring[id % size] ?? unusedEntry()
      ring[id % size] = recorded
      budget.available += recorded.weight
      recorded.id = id
      recorded.received = received
      recorded.milliseconds = milliseconds
      const hasNewHeaders = recordRequest(recorded, call, repeated[call.operation ?? 'none'])
      recordReply(recorded, reply, callers)
      recorded.weight = weigh(recorded, hasNewHeaders)
      budget.available -= recorded.weight
      if (budget.available < 0) enforceBudget(budget)
    },
    entries: (filter) => kept(filter).map((recorded) => toEntry(recorded, callers)),
    entry(id) {
      const recorded = id > clearedTo ? find(id) : undefined
      return recorded && toEntry(recorded, callers)
    },
    lines: (after, max) =>
      kept()
        .filter(({ id }) => id > after)
        .slice(-max)
        .map((recorded) => toLine(recorded, callers)),
    count: (filter) => kept(filter).length,
    clear,
    close() {
      clear()
      isClosed = true
      budget.members.delete(member)
    },
  }
}

/** The last query and headers of one operation. perf: clients repeat them, so one copy serves many entries. */
type Repeated = { query: string; headers: RawHeaders }

const repeatedByOperation = () =>
  Object.fromEntries(
    [...operationIds, 'none'].map((id): [string, Repeated] => [id, { query: '', headers: [] }]),
  ) as Record<OperationId | 'none', Repeated>

/** @returns Whether the headers differ from those of the request before. */
const recordRequest = (recorded: Recorded, { exchange, operation }: Call, repeated: Repeated): boolean => {
  const headers = exchange.headers()
  const hasNewHeaders = !isEqual(headers, repeated.headers)
  if (hasNewHeaders) repeated.headers = headers
  if (exchange.query !== repeated.query) repeated.query = exchange.query
  recorded.method = exchange.method
  recorded.path = internPath(exchange.path, operation)
  recorded.query = repeated.query
  recorded.headers = repeated.headers
  recorded.body = exchange.body
  recorded.operation = operation
  return hasNewHeaders
}

/** perf: a slice of the request line would keep its buffer alive. */
const internPath = (path: string, operation: OperationId | undefined): string =>
  operation !== undefined && operations[operation].path === path ? operations[operation].path : path

const isEqual = (a: RawHeaders, b: RawHeaders): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const recordReply = (recorded: Recorded, { status, headers, body, meta }: Reply, callers: CallerRegistry): void => {
  recorded.status = status
  recorded.responseHeaders = headers
  recorded.responseBody = meta.list ?? body
  recorded.pseudonym = meta.caller === undefined ? undefined : callers.pseudonymOf(meta.caller)
  recorded.problem = meta.problem
  recorded.assumptions = meta.assumptions
  recorded.fault = meta.fault
  recorded.delay = meta.delay
  recorded.forwarded = meta.forwarded && withoutBytes(meta.forwarded)
}

const withoutBytes = ({ bytes: _, rest: __, ...forwarded }: NonNullable<Reply['meta']['forwarded']>) => forwarded

/** Headers that several entries share count for the first of them. */
const weigh = ({ body, responseBody, headers, path, query }: Recorded, hasNewHeaders: boolean): number =>
  (typeof body === 'string' ? body.length : 0) +
  (typeof responseBody === 'object' ? responseBody.weight : (responseBody?.length ?? 0)) +
  path.length +
  query.length +
  (hasNewHeaders ? headers.reduce((sum, text) => sum + text.length, headers.length * stringOverhead) : 0)

/** The weight of a string beside its characters: a request may have a thousand headers of one letter. */
const stringOverhead = 24
