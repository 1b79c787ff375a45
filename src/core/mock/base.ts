import { andThen, isPromise, type MaybePromise } from '../../util/maybe-promise.ts'
import { countPlants, type PlantStore } from '../store/plant-store.ts'
import type { PlantTable } from '../store/plant-table.ts'

export type Base = ReturnType<typeof createBase>

/**
 * Fills a store with the plants that a mock instance starts with, and to which a reset returns. A store that holds plants already keeps them; the fixtures are then what a reset returns to.
 * @param fixtures Pending while they are loaded.
 */
export const createBase = (store: PlantStore, fixtures: MaybePromise<PlantTable | undefined>) => {
  let restore: () => MaybePromise<void> = () => undefined
  let base: PlantTable | undefined
  const filling = andThen(
    andThen(fixtures, (plants) => {
      base = plants
      return fill(store, plants)
    }),
    (restorer) => {
      restore = restorer
    },
  )
  let ready = isPromise(filling) ? filling : undefined
  const setReady = () => {
    ready = undefined
  }
  ready?.then(setReady, () => undefined)
  return {
    /** Pending until the fixtures are loaded, and an asynchronous store holds them; it stays rejected when that failed. */
    get ready(): Promise<void> | undefined {
      return ready
    },
    /** Pending like `ready`; `undefined` when the mock began with the plants of its store. */
    get plants(): PlantTable | undefined {
      return base
    },
    restore: () => restore(),
    /** Makes the plants in the store, which are these, the new base. */
    async update(plants: PlantTable): Promise<void> {
      restore = await store.snapshot()
      base = plants
    },
  }
}

/** @returns The function that restores the filled store. */
const fill = (store: PlantStore, plants: PlantTable | undefined): MaybePromise<() => MaybePromise<void>> =>
  andThen(countPlants(store), (count) => {
    if (plants === undefined) return store.snapshot()
    if (count > 0) return () => store.replaceAll(plants)
    return andThen(store.seed(plants), () => store.snapshot())
  })
