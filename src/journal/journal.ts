import { bodyTooLarge, type Exchange, type Forwarded, type Reply } from '../http/exchange.ts'
import { plantsPath } from '../operations/operations.ts'
import { type BodyBudget, makeRoom } from './body-budget.ts'
import type { Pseudonyms } from './callers.ts'
import {
  asEntry,
  asLine,
  type JournalEntry,
  type JournalLine,
  matches,
  type Recorded,
  type RequestFilter,
} from './entry.ts'
import { shorten } from './truncate.ts'

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
    shorten(recorded, names)
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
      kept.answer = reply.list ?? reply.body
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
  }
}

const hasSame = (a: readonly string[], b: readonly string[]): boolean => {
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
  (hasNewHeaders ? headers.reduce((sum, text) => sum + text.length, headers.length * textItself) : 0)

/** What a text takes beside its characters: a request may have a thousand headers of one letter. */
const textItself = 24

/** A plant of a list is a reference, eight bytes. */
const answerWeight = (answer: Recorded['answer']): number =>
  typeof answer === 'object' ? answer.plants.length * 8 : (answer?.length ?? 0)

/** The bytes are in the answer's text. */
const asKept = ({ by, violations }: Forwarded): Forwarded => ({ by, ...(violations && { violations }) })
