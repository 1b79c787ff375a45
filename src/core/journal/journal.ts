import type { Assumptions } from '../assumptions/registry.ts'
import { type OperationId, operationIds } from '../contract/operation-ids.ts'
import { showViolations } from '../contract/violation.ts'
import { bodyTooLarge } from '../http/exchange.ts'
import type { RawHeaders } from '../http/headers.ts'
import type { Forwarded, Reply } from '../http/reply.ts'
import { operations } from '../operations/operations.ts'
import type { Call } from '../service/call.ts'
import { enforceBudget, type JournalBudget } from './budget.ts'
import type { CallerRegistry } from './callers.ts'
import { type JournalEntry, type JournalLine, matches, type RequestFilter, toEntry, toLine } from './entry.ts'
import { type Recorded, unusedEntry, violationsIn } from './recorded.ts'
import { entryTruncator } from './truncate.ts'
import { weighExchange, weighRequestHeaders } from './weight.ts'

/** The latest exchanges of one mock instance. */
export interface Journal {
  /** The number of exchanges ever recorded, and the id of the latest. */
  readonly latest: number
  /**
   * @param received In milliseconds since 1970.
   * @param milliseconds Until the response was ready.
   * @param values The assumptions in force. Default: unknown.
   * @returns The id of the exchange.
   */
  record(call: Call, reply: Reply, received: number, milliseconds: number, values?: Assumptions): number
  /**
   * The oldest first. Each is made when it is taken; those that leave the journal before are left out, and those recorded
   * after the first are not included.
   */
  entries(filter?: RequestFilter): Iterable<JournalEntry>
  entry(id: number): JournalEntry | undefined
  /** The exchanges after the one with this id; at most the latest `max`. */
  lines(after: number, max: number): JournalLine[]
  count(filter?: RequestFilter): number
  /** How many violations the exchanges have. */
  countViolations(): number
  clear(): void
  /** The exchanges that are kept, the oldest first, to restore them elsewhere. */
  dump(): JournalDump
  /** To be called before anything is recorded. */
  restore(dump: JournalDump): void
  /** Returns its share of the budget, and records nothing more. */
  close(): void
}

/** A journal as plain data, apart from the symbols that stand for a body. */
export type JournalDump = {
  readonly latest: number
  readonly oldestWithBody: number
  readonly entries: readonly Recorded[]
}

/** How many exchanges a journal keeps by default. */
export const defaultJournalSize = 1_000

/** A journal of the latest `size` exchanges; older ones are evicted. */
export const createJournal = (size: number, callers: CallerRegistry, budget: JournalBudget): Journal => {
  /** The exchange with id n is at n modulo size. */
  let ring: (Recorded | undefined)[] = []
  let latest = 0
  /** The id of the oldest entry whose body is kept. */
  let oldestWithBody = 1
  let isClosed = false
  const repeated = repeatedByOperation()
  const truncate = entryTruncator(callers)

  const find = (id: number): Recorded | undefined => {
    const recorded = ring[id % size]
    return recorded?.id === id ? recorded : undefined
  }

  const evictBody = (recorded: Recorded | undefined): void => {
    if (recorded === undefined) return
    budget.available += recorded.weight
    recorded.weight = 0
    truncate(recorded)
  }

  const member = {
    oldestBody: () => {
      while (oldestWithBody <= latest && find(oldestWithBody) === undefined) oldestWithBody++
      return find(oldestWithBody)?.received ?? Number.POSITIVE_INFINITY
    },
    evictOldestBody: () => evictBody(find(oldestWithBody++)),
  }
  budget.members.add(member)

  /** Those after the one with the id `after`. */
  function* kept(filter: RequestFilter = {}, after = 0): Generator<Recorded> {
    const isFiltered = Object.keys(filter).length > 0
    const last = latest
    for (let id = Math.max(after, latest - size) + 1; id <= last; id++) {
      const recorded = find(id)
      if (recorded !== undefined && (!isFiltered || matches(recorded, filter, callers))) yield recorded
    }
  }

  const clear = (): void => {
    for (const recorded of ring) budget.available += recorded?.weight ?? 0
    ring = []
    oldestWithBody = latest + 1
  }

  return {
    get latest() {
      return latest
    },
    record(call, reply, received, milliseconds, values) {
      const id = ++latest
      if (size === 0 || isClosed) return id
      const recorded = ring[id % size] ?? unusedEntry()
      ring[id % size] = recorded
      budget.available += recorded.weight
      recorded.id = id
      recorded.received = received
      recorded.milliseconds = milliseconds
      const headersWeight = recordRequest(recorded, call, repeated[call.operation ?? 'none'])
      recordReply(recorded, reply, callers)
      recorded.values = values
      recorded.weight = weighExchange(recorded, headersWeight)
      budget.available -= recorded.weight
      if (budget.available < 0) enforceBudget(budget)
      return id
    },
    *entries(filter) {
      for (const recorded of kept(filter)) yield toEntry(recorded, callers)
    },
    entry(id) {
      const recorded = find(id)
      return recorded && toEntry(recorded, callers)
    },
    lines: (after, max) => Array.from(kept({}, Math.max(after, latest - max)), (recorded) => toLine(recorded, callers)),
    count: (filter) => Array.from(kept(filter)).length,
    countViolations() {
      let count = 0
      for (const recorded of kept()) {
        const { violations, violationsOmitted = 0 } = violationsIn(recorded)
        count += violations.length + violationsOmitted
      }
      return count
    },
    clear,
    dump: () => ({ latest, oldestWithBody, entries: [...kept()] }),
    restore(dump) {
      ;({ latest, oldestWithBody } = dump)
      for (const recorded of dump.entries) {
        ring[recorded.id % size] = recorded
        budget.available -= recorded.weight
      }
    },
    close() {
      clear()
      isClosed = true
      budget.members.delete(member)
    },
  }
}

/** The last query and headers of one operation. perf: clients repeat them, so one copy serves many entries. */
type Repeated = { query: string; headers: RawHeaders; headersWeight: number }

const repeatedByOperation = () =>
  Object.fromEntries(
    [...operationIds, 'none'].map((id): [string, Repeated] => [id, { query: '', headers: [], headersWeight: 0 }]),
  ) as Record<OperationId | 'none', Repeated>

/** @returns The weight of the headers. */
const recordRequest = (recorded: Recorded, { exchange, operation }: Call, repeated: Repeated): number => {
  const headers = exchange.headers()
  if (!isEqual(headers, repeated.headers)) {
    repeated.headers = headers
    repeated.headersWeight = weighRequestHeaders(headers)
  }
  if (exchange.query !== repeated.query) repeated.query = exchange.query
  recorded.method = exchange.method
  recorded.path = internPath(exchange.path, operation)
  recorded.query = repeated.query
  recorded.headers = repeated.headers
  recorded.secretMarks = exchange.secretMarks
  recorded.body = typeof exchange.body === 'string' ? (exchange.shownBody ?? exchange.body) : exchange.body
  recorded.operation = operation
  recorded.found = undefined
  return repeated.headersWeight
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
  recorded.responseBody = meta.forwarded?.rest === undefined ? body : bodyTooLarge
  recorded.pseudonym = meta.caller === undefined ? undefined : callers.pseudonymOf(meta.caller)
  recorded.problem = meta.problem
  recorded.assumptions = meta.assumptions
  recorded.fault = meta.fault
  recorded.delay = meta.delay
  recorded.forwarded = meta.forwarded && withoutBytes(meta.forwarded)
}

const withoutBytes = ({ by, reason, unchecked, violations }: Forwarded): Recorded['forwarded'] => ({
  by,
  ...(reason !== undefined && { reason }),
  ...(unchecked !== undefined && { unchecked }),
  ...(violations !== undefined && showViolations(violations)),
})
