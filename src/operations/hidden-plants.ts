import type { Caller } from '../contract/schemas.ts'
import type { StoredPlant } from '../store/plant-store.ts'

/**
 * Plants that their creator's next list leaves out (`create.visibility=eventual`).
 * Counted in lists and not in time, so that a run repeats exactly.
 */
export interface HiddenPlants {
  add(caller: Caller, plant: StoredPlant): void
  /** The plants to leave out of this list; from the next one on they are there. */
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
