import type { Assumptions } from '../assumptions/registry.ts'
import { type Body, bodyTooLarge } from '../http/exchange.ts'
import type { RawHeaders } from '../http/headers.ts'
import type { Reply } from '../http/reply.ts'
import type { ResolvedRequest } from '../operations/call.ts'
import { enforceBudget, type JournalBudget, maxBodyWeight } from './budget.ts'
import type { CallerRegistry } from './callers.ts'
import {
  type JournalEntry,
  type JournalLine,
  matches,
  type Recorded,
  type RequestFilter,
  recordIn,
  toEntry,
  toLine,
  truncateEntry,
  unusedEntry,
  violationsIn,
} from './entry.ts'

export type Journal = ReturnType<typeof createJournal>

export const defaultJournalSize = 1_000

export const createJournal = (size: number, callers: CallerRegistry, budget: JournalBudget) => {
  let ring: (Recorded | undefined)[] = []
  let latest = 0
  let oldestWithBody = 1
  let isClosed = false
  let headers: RawHeaders = []
  const find = (id: number): Recorded | undefined => {
    const recorded = ring[id % size]
    return recorded?.id === id ? recorded : undefined
  }

  const evictBody = (recorded: Recorded | undefined): void => {
    if (recorded === undefined) return
    budget.available += recorded.weight
    recorded.weight = 0
    truncateEntry(recorded, callers)
  }

  const member = {
    oldestBody: () => {
      while (oldestWithBody <= latest && find(oldestWithBody) === undefined) oldestWithBody++
      return find(oldestWithBody)?.receivedAt ?? Number.POSITIVE_INFINITY
    },
    evictOldestBody: () => evictBody(find(oldestWithBody++)),
  }
  budget.members.add(member)

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

  const dump = () => ({ latest, oldestWithBody, entries: [...kept()] })

  return {
    get latest(): number {
      return latest
    },
    record(
      call: ResolvedRequest,
      reply: Reply,
      receivedAt: number,
      milliseconds: number,
      values?: Assumptions,
    ): number {
      const id = ++latest
      if (size === 0 || isClosed) return id
      const recorded = ring[id % size] ?? unusedEntry()
      budget.available += recorded.weight
      recordIn(recorded, call, reply, callers, { id, receivedAt, milliseconds, values })
      // perf: reuses equal headers, because the garbage collector copies each new string (`npm run bench`, GET).
      if (isEqual(recorded.headers, headers)) recorded.headers = headers
      else headers = recorded.headers
      if (3 * lengthOf(recorded.body) > maxBodyWeight) recorded.body = bodyTooLarge
      if (3 * lengthOf(recorded.responseBody) > maxBodyWeight) recorded.responseBody = bodyTooLarge
      recorded.weight = weightOf(recorded)
      budget.available -= recorded.weight
      ring[id % size] = recorded
      if (budget.available < 0) enforceBudget(budget)
      return id
    },
    *entries(filter?: RequestFilter): Generator<JournalEntry> {
      for (const recorded of kept(filter)) yield toEntry(recorded, callers)
    },
    entry(id: number): JournalEntry | undefined {
      const recorded = find(id)
      return recorded && toEntry(recorded, callers)
    },
    lines: (after: number, max: number): JournalLine[] =>
      Array.from(kept({}, Math.max(after, latest - max)), (recorded) => toLine(recorded, callers)),
    count: (filter?: RequestFilter): number => Array.from(kept(filter)).length,
    countViolations(): number {
      let count = 0
      for (const recorded of kept()) {
        const { violations, violationsOmitted = 0 } = violationsIn(recorded)
        count += violations.length + violationsOmitted
      }
      return count
    },
    clear,
    dump,
    restore(saved: ReturnType<typeof dump>): void {
      ;({ latest, oldestWithBody } = saved)
      for (const recorded of saved.entries) {
        ring[recorded.id % size] = recorded
        budget.available -= recorded.weight
      }
    },
    close(): void {
      clear()
      isClosed = true
      budget.members.delete(member)
    },
  }
}

const weightOf = ({ path, query, headers, body, responseHeaders, responseBody }: Recorded): number =>
  entryWeight +
  3 * (path.length + query.length + lengthOf(body) + lengthOf(responseBody)) +
  weighHeaders(headers) +
  weighHeaders(responseHeaders)

const entryWeight = 1_000

const lengthOf = (body: Body): number => (typeof body === 'string' ? body.length : 0)

/** Counts 24 characters of overhead per string, because a request may have a thousand headers of one letter. */
const weighHeaders = (headers: RawHeaders): number => {
  let weight = 24 * headers.length
  for (const text of headers) weight += 2 * text.length
  return weight
}

const isEqual = (a: RawHeaders, b: RawHeaders): boolean => a.length === b.length && a.every((text, i) => text === b[i])
