import type { FaultKind } from '../http/reply.ts'
import { checkFault, type Fault } from './fault.ts'
import { kindOf } from './kinds.ts'

/** A fault that is set. */
export type FaultEntry = {
  /** Such as `fault-1`. */
  readonly id: string
  readonly fault: Fault
  /** `undefined` for a fault that only delays. */
  readonly kind: FaultKind | undefined
  /** Whether it is set from the start. */
  readonly isInitial: boolean
  /** How many requests it has affected. */
  hits: number
}

/** The faults of one mock instance, the latest first. */
export interface FaultList {
  entries(): readonly FaultEntry[]
  /** @throws PlantMockError for an invalid fault. */
  add(fault: Fault): FaultEntry
  /** False for an unknown id. */
  remove(id: string): boolean
  /** Restores the faults of the start. */
  reset(): void
  clear(): void
  /** The faults with their hits, to restore them elsewhere. */
  dump(): FaultDump
  restore(dump: FaultDump): void
}

export type FaultDump = {
  readonly entries: readonly FaultEntry[]
  /** How many faults were ever set; the next id follows from it. */
  readonly count: number
}

/** How many exhausted faults stay listed. */
const maxExhausted = 100

/**
 * A list in memory.
 * @param initial Set from the start.
 * @throws PlantMockError for an invalid fault.
 */
export const faultList = (initial: readonly Fault[]): FaultList => {
  const checked = initial.map(checkFault)
  let count = 0
  const entryOf = (fault: Fault, isInitial: boolean): FaultEntry => ({
    id: `fault-${++count}`,
    fault,
    kind: kindOf(fault),
    isInitial,
    hits: 0,
  })
  const initialEntries = () => checked.map((fault) => entryOf(fault, true)).reverse()
  let entries: readonly FaultEntry[] = initialEntries()

  return {
    entries: () => entries,
    add(fault) {
      const added = entryOf(checkFault(fault), false)
      entries = [added, ...entries.filter((entry, i) => i < maxExhausted || remainingHits(entry) > 0)]
      return added
    },
    remove(id) {
      const { length } = entries
      entries = entries.filter((entry) => entry.id !== id)
      return entries.length < length
    },
    reset() {
      entries = initialEntries()
    },
    clear() {
      entries = []
    },
    dump: () => ({ entries, count }),
    restore(dump) {
      entries = dump.entries.map((entry) => ({ ...entry, kind: kindOf(entry.fault) }))
      count = dump.count
    },
  }
}

/** How many more requests a fault will affect. */
export const remainingHits = ({ fault: { times = Number.POSITIVE_INFINITY }, hits }: FaultEntry): number => times - hits
