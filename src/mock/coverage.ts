import type { Reply } from '../http/exchange.ts'
import type { OperationId } from '../operations/operations.ts'
import { type Outcome, outcomeOf, outcomes } from '../operations/outcomes.ts'

/** One outcome of an operation, and how many exchanges had it. */
export type CoverageRow = {
  readonly operation: OperationId
  readonly outcome: Outcome
  /** The outcome in words. */
  readonly meaning: string
  readonly count: number
}

/** Every outcome that a client has to cope with, met or not. */
export type Coverage = readonly CoverageRow[]

export interface CoverageCount {
  count(reply: Reply): void
  rows(): Coverage
  clear(): void
}

/** Counts outcomes. What it counts, `whole` counts too: that of the mock that a session belongs to. */
export const countCoverage = (whole?: CoverageCount): CoverageCount => {
  type Counts = Partial<Record<Outcome, number>>
  const none = (): Record<OperationId, Counts> => ({ createPlant: {}, listPlants: {} })
  let counts = none()
  return {
    count(reply) {
      whole?.count(reply)
      if (reply.operation === undefined) return
      const own = counts[reply.operation]
      const outcome = mainOutcome(reply)
      if (outcome !== undefined) own[outcome] = (own[outcome] ?? 0) + 1
      // One exchange may have two outcomes: a late answer that was cut short.
      if (reply.delay > 0) own.slow = (own.slow ?? 0) + 1
    },
    rows: () => allRows.map((row) => ({ ...row, count: counts[row.operation][row.outcome] ?? 0 })),
    clear() {
      counts = none()
    },
  }
}

const mainOutcome = ({ operation, status, body, cut, delivery, fault }: Reply): Outcome | undefined => {
  if (delivery !== undefined) return 'disconnected'
  if (fault === 'malformed') return 'malformed'
  if (operation === 'listPlants' && status < 300) return cut ? 'cut' : body === '[]' ? 'empty' : 'success'
  return outcomeOf(status)
}

const allRows: readonly Omit<CoverageRow, 'count'>[] = Object.entries(outcomes).flatMap(([operation, rows]) =>
  Object.entries(rows).map(([outcome, meaning]) => ({
    operation: operation as OperationId,
    outcome: outcome as Outcome,
    meaning,
  })),
)

/** Adds up coverage from several places: files of a test suite, servers. */
export const addCoverage = (parts: Iterable<Coverage>): Coverage => {
  const sums = new Map<string, number>()
  for (const rows of parts)
    for (const { operation, outcome, count } of rows)
      sums.set(`${operation} ${outcome}`, (sums.get(`${operation} ${outcome}`) ?? 0) + count)
  return allRows.map((row) => ({ ...row, count: sums.get(`${row.operation} ${row.outcome}`) ?? 0 }))
}

/** Coverage in a few lines: for each operation, what the client has met and what it never saw. */
export const renderCoverage = (rows: Coverage): string => {
  const met = rows.filter(({ count }) => count > 0)
  const width = Math.max(...rows.map(({ operation }) => operation.length))
  const lines = Object.keys(outcomes).flatMap((operation) => {
    const own = rows.filter((row) => row.operation === operation)
    const seen = own.filter(({ count }) => count > 0).map(({ outcome, count }) => `${outcome} ${count}`)
    const unseen = own.filter(({ count }) => count === 0).map(({ outcome }) => outcome)
    return [
      ...(seen.length === 0 ? [] : [`  ${operation.padEnd(width)}  met    ${seen.join(', ')}`]),
      ...(unseen.length === 0
        ? []
        : [`  ${(seen.length === 0 ? operation : '').padEnd(width)}  never  ${unseen.join(', ')}`]),
    ]
  })
  return `Outcomes of the contract that were met: ${met.length} of ${rows.length}\n${lines.join('\n')}\n`
}
