import { type OperationId, operationIds } from '../contract/operation-ids.ts'
import type { Reply } from '../http/reply.ts'
import { type Outcome, operations } from '../operations/operations.ts'

/** One outcome of an operation, and how many exchanges had it. */
export type CoverageRow = {
  readonly operation: OperationId
  readonly outcome: Outcome
  /** The outcome in words. */
  readonly meaning: string
  readonly count: number
}

/** Every outcome that a client has to handle, whether it occurred or not. */
export type Coverage = readonly CoverageRow[]

export type Counts = Record<OperationId, Partial<Record<string, number>>>

export type CoverageCounter = ReturnType<typeof coverageCounter>

/** @param parent The counter of the session's mock, which also counts the exchanges. */
export const coverageCounter = (parent?: { count(reply: Reply): void }) => {
  let counts = noCounts()
  return {
    count(reply: Reply): void {
      parent?.count(reply)
      const { operation, delay } = reply.meta
      if (operation === undefined) return
      const own = counts[operation]
      const outcome = outcomeOf(operation, reply)
      if (outcome !== undefined) own[outcome] = (own[outcome] ?? 0) + 1
      // A delayed exchange also has the outcome `slow`.
      if (delay > 0) own.slow = (own.slow ?? 0) + 1
    },
    rows: () => rowsOf(counts),
    clear(): void {
      counts = noCounts()
    },
    get counts(): Counts {
      return counts
    },
    set counts(others) {
      counts = others
    },
  }
}

const noCounts = () => Object.fromEntries(operationIds.map((id) => [id, {}])) as Counts

const rowsOf = (counts: Counts): Coverage =>
  operationIds.flatMap((operation) =>
    Object.entries(operations[operation].outcomes).map(([outcome, meaning]) => ({
      operation,
      outcome: outcome as Outcome,
      meaning,
      count: counts[operation][outcome] ?? 0,
    })),
  )

const outcomeOf = (operation: OperationId, reply: Reply): string | undefined => {
  const { delivery, fault } = reply.meta
  if (delivery !== undefined) return 'disconnected'
  return fault === 'malformed' ? 'malformed' : operations[operation].outcomeOf(reply)
}

/** Adds up coverage from several places, for example test files or servers. */
export const addCoverage = (parts: Iterable<Coverage>): Coverage => {
  const counts = noCounts()
  for (const rows of parts)
    for (const { operation, outcome, count } of rows)
      counts[operation][outcome] = (counts[operation][outcome] ?? 0) + count
  return rowsOf(counts)
}

/** Coverage as text: for each operation, the outcomes that occurred, and the missed outcomes. */
export const renderCoverage = (rows: Coverage): string => {
  const met = rows.filter(({ count }) => count > 0)
  const width = Math.max(...operationIds.map(({ length }) => length))
  const lines = operationIds.flatMap((operation) => {
    const own = rows.filter((row) => row.operation === operation)
    const parts = [
      ['met  ', own.filter(({ count }) => count > 0).map(({ outcome, count }) => `${outcome} ${count}`)],
      ['never', own.filter(({ count }) => count === 0).map(({ outcome }) => outcome)],
    ] as const
    return parts
      .filter(([, outcomes]) => outcomes.length > 0)
      .map(([word, outcomes], i) => `  ${(i === 0 ? operation : '').padEnd(width)}  ${word}  ${outcomes.join(', ')}`)
  })
  return `Outcomes of the contract that were met: ${met.length} of ${rows.length}\n${lines.join('\n')}\n`
}
