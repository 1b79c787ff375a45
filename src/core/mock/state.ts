import { randomSource } from '../../util/random.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Caller } from '../contract/schemas.ts'
import type { Fault } from '../faults/fault.ts'
import { faultList } from '../faults/fault-list.ts'
import type { JournalBudget } from '../journal/budget.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import { createJournal } from '../journal/journal.ts'
import { hiddenPlants } from '../operations/hidden-plants.ts'
import { rateLimit } from '../service/rate-limit.ts'
import type { PlantStore } from '../store/plant-store.ts'
import type { CoverageCounter } from './coverage.ts'

export type MockState = ReturnType<typeof memoryState>

export type RandomDump = { readonly lists: number; readonly faults: number }

export type StateOptions = {
  readonly store: PlantStore
  readonly assumptions: Assumptions
  readonly faults: readonly Fault[]
  readonly callers: CallerRegistry
  readonly seed: number
  /** How many exchanges the journal keeps. */
  readonly journal: number
  readonly budget: JournalBudget
  readonly coverage: CoverageCounter
  /** The time in milliseconds, for `create.visibility=after-ms`. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Everything that a mock instance remembers.
 * @throws PlantMockError for an invalid fault.
 */
export const memoryState = (options: StateOptions) => {
  const { store, assumptions, callers, seed, budget, coverage } = options
  const hidden = hiddenPlants(options.now)
  const rates = rateLimit()
  const lists = randomSource(seed)
  const faults = randomSource(seed)
  const restoreRandom = (dump: RandomDump): void => {
    lists.state = dump.lists
    faults.state = dump.faults
  }
  return {
    plants: store,
    hidden,
    rates,
    faults: faultList(options.faults),
    journal: createJournal(options.journal, callers, budget),
    coverage,
    assumptions,
    /**
     * Random numbers from 0 to below 1. Lists and faults have sources of their own, so that faults do not change how lists
     * are shuffled.
     */
    random: { lists: lists.next, faults: faults.next },
    /** Forgets hidden plants and request counts. */
    forgetCalls(): void {
      hidden.clear()
      rates.clear()
    },
    restartRandom: (): void => restoreRandom({ lists: seed | 0, faults: seed | 0 }),
    dumpRandom: (): RandomDump => ({ lists: lists.state, faults: faults.state }),
    restoreRandom,
  }
}

/** The key under which the `access` of plants knows a caller. */
export const keyOf = (store: PlantStore, caller: Caller): Caller => store.callerKey?.(caller) ?? caller
