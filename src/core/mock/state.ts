import { andThen, isPromise, type MaybePromise } from '../../util/maybe-promise.ts'
import { randomSource } from '../../util/random.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Fault } from '../faults/fault.ts'
import { faultList } from '../faults/fault-list.ts'
import type { JournalBudget } from '../journal/budget.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import { createJournal } from '../journal/journal.ts'
import { hiddenPlants } from '../operations/hidden-plants.ts'
import { rateLimit } from '../service/rate-limit.ts'
import { countPlants, type PlantStore } from '../store/plant-store.ts'
import type { PlantTable } from '../store/plant-table.ts'
import type { CoverageCounter } from './coverage.ts'

export type MockState = ReturnType<typeof memoryState>

export type StateOptions = {
  readonly assumptions: Assumptions
  readonly faults: readonly Fault[]
  readonly callers: CallerRegistry
  readonly seed: number
  /** How many exchanges the journal keeps. */
  readonly journal: number
  readonly budget: JournalBudget
  /** The time in milliseconds, for `create.visibility=after-ms`. Default: `Date.now`. */
  readonly now: (() => number) | undefined
}

/** Everything that a mock instance remembers. */
export const memoryState = (options: StateOptions, store: PlantStore, coverage: CoverageCounter) => {
  const { assumptions, callers, seed, budget } = options
  const hidden = hiddenPlants(options.now)
  const rates = rateLimit()
  const lists = randomSource(seed)
  const faults = randomSource(seed)
  const dumpRandom = () => ({ lists: lists.state, faults: faults.state })
  const restoreRandom = (dump: ReturnType<typeof dumpRandom>): void => {
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
    /** Lists and faults have sources of their own, so that faults do not change how lists are shuffled. */
    random: { lists: lists.next, faults: faults.next },
    /** Forgets hidden plants and request counts. */
    forgetCalls(): void {
      hidden.clear()
      rates.clear()
    },
    restartRandom: (): void => restoreRandom({ lists: seed | 0, faults: seed | 0 }),
    dumpRandom,
    restoreRandom,
  }
}

/** The key under which the `access` of plants knows a caller. */
export const keyOf = (store: PlantStore, caller: string): string => store.callerKey?.(caller) ?? caller

export type Base = Readonly<ReturnType<typeof createBase>>

/** Fills a store with the plants to which a reset returns. A store that holds plants already keeps them. */
export const createBase = (store: PlantStore, fixtures: MaybePromise<PlantTable | undefined>) => {
  const base = {
    /** Pending until the fixtures are loaded, and an asynchronous store holds them; it stays rejected when that failed. */
    ready: undefined as Promise<void> | undefined,
    /** `undefined` when the mock began with the plants of its store. */
    plants: undefined as PlantTable | undefined,
    restore: (): MaybePromise<void> => undefined,
    /** Makes the plants in the store, which are these, the new base. */
    async update(plants: PlantTable): Promise<void> {
      base.restore = await store.snapshot()
      base.plants = plants
    },
  }
  const filling = andThen(fixtures, (plants) => {
    base.plants = plants
    return andThen(fill(store, plants), (restore) => {
      base.restore = restore
    })
  })
  if (isPromise(filling)) {
    base.ready = filling
    const setReady = () => {
      base.ready = undefined
    }
    filling.then(setReady, () => undefined)
  }
  return base
}

/** @returns The function that restores the filled store. */
const fill = (store: PlantStore, plants: PlantTable | undefined): MaybePromise<() => MaybePromise<void>> =>
  andThen(countPlants(store), (count) => {
    if (plants === undefined) return store.snapshot()
    if (count > 0) return () => store.replaceAll(plants)
    return andThen(store.seed(plants), () => store.snapshot())
  })
