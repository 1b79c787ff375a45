import type { Caller, FixturePlant } from '../contract/schemas.ts'
import { memoryStore } from '../store/memory-store.ts'
import type { PlantStore, StoredPlant } from '../store/plant-store.ts'

/** A plant as the log receives it. */
export type LogEntry = FixturePlant | StoredPlant

/** Stores all plants in their order. Each method is synchronous and atomic: when it throws, the log is unchanged. */
export interface PlantLog {
  append(plant: LogEntry): void
  replaceAll(plants: readonly LogEntry[]): void
}

export type PersistentStoreOptions = {
  readonly log: PlantLog
  /** Maps a token to the key that the log holds instead of it; maps a key to itself. */
  readonly callerKey: (caller: Caller) => Caller
}

export interface PersistentStore extends PlantStore {
  all(): readonly StoredPlant[]
  callerKey(caller: Caller): Caller
  /** Replaces all plants in memory with the plants that the log holds; writes nothing. */
  loadFromLog(plants: Iterable<FixturePlant>): void
}

/**
 * Makes a store in memory with a write-ahead log: each change is written first, then made in memory. Both happen
 * synchronously, so no other request runs between them. When the log throws, so does the method, and nothing changes.
 */
export const persistentStore = ({ log, callerKey }: PersistentStoreOptions): PersistentStore => {
  const store = memoryStore()
  // perf: returns the same object when its keys do not change; a file may hold a million plants (`npm run bench`).
  const withCallerKeys = (plant: FixturePlant): FixturePlant => {
    const { access } = plant
    const isUnchanged =
      access === undefined || (access.length < 2 && access.every((caller) => callerKey(caller) === caller))
    return isUnchanged ? plant : { ...plant, access: [...new Set(access.map(callerKey))] }
  }

  return {
    create(caller, plant, onDuplicate) {
      const key = callerKey(caller)
      const { id } = plant
      const existing = id === undefined || onDuplicate === 'accept' ? undefined : store.find(key, id)
      if (existing === undefined) log.append({ ...plant, access: [key] })
      else if (onDuplicate === 'replace')
        log.replaceAll(store.all().map((one) => (one === existing ? { ...plant, access: existing.access } : one)))
      return store.create(key, plant, onDuplicate)
    },

    list: (caller, options) => store.list(callerKey(caller), options),

    knows: (caller) => store.knows(callerKey(caller)),

    seed(plants) {
      const added = Array.from(plants, withCallerKeys)
      const [first] = added
      const existing = store.all()
      // An append of several lines is not atomic: a kill can leave some of them. Nor is the creation of the file.
      if (first !== undefined && added.length === 1 && existing.length > 0) log.append(first)
      else log.replaceAll([...existing, ...added])
      store.seed(added)
    },

    all: () => store.all(),

    replaceAll(plants) {
      const replacements = Array.from(plants, withCallerKeys)
      log.replaceAll(replacements)
      store.replaceAll(replacements)
    },

    snapshot() {
      const saved = store.all()
      const restore = store.snapshot()
      return () => {
        log.replaceAll(saved)
        restore()
      }
    },

    callerKey,

    loadFromLog: (plants) => store.replaceAll(Array.from(plants, withCallerKeys)),
  }
}
