import type { Caller } from '../contract/schemas.ts'
import type { StoredPlant } from '../store/plant-store.ts'

/**
 * Plants that the next list of their creator leaves out (`create.visibility=eventual`). Counted in lists instead of
 * time, so that a run is repeatable.
 */
export interface HiddenPlants {
  add(caller: Caller, plant: StoredPlant): void
  /** Returns the plants to leave out of this list, and reveals them for the next. */
  take(caller: Caller): ReadonlySet<StoredPlant>
  clear(): void
}

export const hiddenPlants = (): HiddenPlants => {
  const byCaller = new Map<Caller, Set<StoredPlant>>()
  return {
    add(caller, plant) {
      const plants = byCaller.get(caller)
      if (plants === undefined) byCaller.set(caller, new Set([plant]))
      else plants.add(plant)
    },
    take(caller) {
      const plants = byCaller.get(caller)
      if (plants === undefined) return none
      byCaller.delete(caller)
      return plants
    },
    clear: () => byCaller.clear(),
  }
}

const none: ReadonlySet<StoredPlant> = new Set()
