import type { Caller, FixturePlant, Plant } from '../contract/schemas.ts'
import { memoryStore } from '../store/memory-store.ts'
import type { PlantStore, StoredPlant } from '../store/plant-store.ts'

/** A plant as a log gets it, from a fixture or from the store. */
export type LoggedPlant = Plant & {
  readonly id?: number | undefined
  readonly access?: readonly Caller[] | undefined
}

/** What a store is kept in: all its plants, in their order. Each call is done when it returns, and nothing when it throws. */
export interface PlantLog {
  /** Writes one plant behind the others. */
  append(plant: LoggedPlant): void
  /** Writes these plants in the place of all. */
  replace(plants: readonly LoggedPlant[]): void
}

export type PersistentStoreOptions = {
  readonly log: PlantLog
  /** What is written in the place of a caller's token; what it gives stays as it is when it is given that. */
  readonly nameOf: (caller: Caller) => Caller
}

export interface PersistentStore extends PlantStore {
  all(): readonly StoredPlant[]
  nameOf(caller: Caller): Caller
  /** Takes the plants that the log holds, without writing them. */
  adopt(plants: Iterable<FixturePlant>): void
}

/**
 * A store in memory that holds nothing but what its log holds: each change is written first, and made only then.
 * Deciding, writing and changing are one step. What the log throws, it throws, and is as it was.
 */
export const persistentStore = ({ log, nameOf }: PersistentStoreOptions): PersistentStore => {
  const store = memoryStore()
  /** A plant with the names that are written; itself when these are there already, for there may be a million. */
  const named = (plant: FixturePlant): FixturePlant => {
    const { access } = plant
    const isNamed =
      access === undefined || (access.length < 2 && access.every((caller) => nameOf(caller) === caller))
    return isNamed ? plant : { ...plant, access: [...new Set(access.map(nameOf))] }
  }

  return {
    create(caller, plant, onDuplicate) {
      const name = nameOf(caller)
      const { id } = plant
      const met = id === undefined || onDuplicate === 'accept' ? undefined : store.find(name, id)
      if (met === undefined) log.append({ ...plant, access: [name] })
      else if (onDuplicate === 'replace')
        log.replace(store.all().map((one) => (one === met ? { ...plant, access: met.access } : one)))
      return store.create(name, plant, onDuplicate)
    },

    list: (caller, options) => store.list(nameOf(caller), options),

    knows: (caller) => store.knows(nameOf(caller)),

    seed(plants) {
      const added = Array.from(plants, named)
      const [only] = added
      const held = store.all()
      // Several lines may be cut off in their middle: replacing writes all or none. So does the beginning.
      if (only !== undefined && added.length === 1 && held.length > 0) log.append(only)
      else log.replace([...held, ...added])
      store.seed(added)
    },

    all: () => store.all(),

    refill(plants) {
      const wanted = Array.from(plants, named)
      log.replace(wanted)
      store.refill(wanted)
    },

    snapshot() {
      const kept = store.all()
      const bringBack = store.snapshot()
      return () => {
        log.replace(kept)
        bringBack()
      }
    },

    nameOf,

    adopt: (plants) => store.refill(Array.from(plants, named)),
  }
}
