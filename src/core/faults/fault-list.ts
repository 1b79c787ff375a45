import type { FaultKind } from '../http/reply.ts'
import { checkFault, type Fault } from './fault.ts'
import { kindOf } from './kinds.ts'

export type FaultEntry = {
  /** Such as `fault-1`. */
  readonly id: string
  readonly fault: Fault
  /** `undefined` for a fault that only delays. */
  readonly kind: FaultKind | undefined
  readonly isInitial: boolean
  hits: number
}

export type FaultList = ReturnType<typeof faultList>

/** How many exhausted faults stay listed. */
const maxExhausted = 100

/** The faults of one mock instance, the latest first. @param initial Set from the start. */
export const faultList = (initial: readonly Fault[]) => {
  const checked = initial.map(checkFault)
  /** How many faults were ever set; the next id follows from it. */
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
  /** The faults with their hits, to restore them elsewhere. */
  const dump = () => ({ entries, count })

  return {
    entries: (): readonly FaultEntry[] => entries,
    add(fault: Fault): FaultEntry {
      const added = entryOf(checkFault(fault), false)
      entries = [added, ...entries.filter((entry, i) => i < maxExhausted || remainingHits(entry) > 0)]
      return added
    },
    remove(id: string): boolean {
      const { length } = entries
      entries = entries.filter((entry) => entry.id !== id)
      return entries.length < length
    },
    reset(): void {
      entries = initialEntries()
    },
    clear(): void {
      entries = []
    },
    dump,
    restore(saved: ReturnType<typeof dump>): void {
      entries = saved.entries.map((entry) => ({ ...entry, kind: kindOf(entry.fault) }))
      count = saved.count
    },
  }
}

export const remainingHits = ({ fault: { times = Number.POSITIVE_INFINITY }, hits }: FaultEntry): number => times - hits
