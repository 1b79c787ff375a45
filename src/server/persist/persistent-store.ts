import type { Caller, FixturePlant } from '../../core/contract/schemas.ts'
import { type MemoryStore, memoryStore } from '../../core/store/memory-store.ts'
import { type PlantTable, plantTable } from '../../core/store/plant-table.ts'
import { flatMapLazily, mapLazily } from '../../util/lazy.ts'
import { createCallerKey } from './caller-key.ts'
import type { PlantFile } from './plant-file.ts'

export type PersistentStore = Omit<MemoryStore, 'findDuplicate' | 'preview'> & {
  callerKey(caller: Caller): Caller
  /** The plant with the keys of the callers in its `access`. */
  withCallerKeys(plant: FixturePlant): FixturePlant
  /** Replaces all plants in memory with the plants that the log holds; writes nothing. */
  loadFromLog(plants: PlantTable): void
}

/**
 * Makes a store in memory with a log: a change happens in memory and in the log, or, when the log throws, in neither.
 * Both happen synchronously, so no other request runs between them.
 */
export const persistentStore = (log: Pick<PlantFile, 'append' | 'replaceAll'>): PersistentStore => {
  const store = memoryStore()
  const callerKey = createCallerKey()
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
      const existing = store.findDuplicate(key, plant.id, onDuplicate)
      if (existing === undefined) log.append({ ...plant, access: [key] })
      else if (onDuplicate === 'replace')
        log.replaceAll(
          mapLazily(store.rows(), (one) => (one.seq === existing.seq ? { ...plant, access: one.access } : one)),
        )
      return store.create(key, plant, onDuplicate)
    },

    list: (caller, options) => store.list(callerKey(caller), options),

    knows: (caller) => store.knows(callerKey(caller)),

    seed(plants) {
      const added = plantTable(mapLazily(plants, withCallerKeys))
      // An append of several lines is not atomic: a kill can leave some of them. Nor is the creation of the file.
      if (added.length === 1 && store.count() > 0) log.append(added.row(0))
      else log.replaceAll(flatMapLazily([store, added], (plants) => plants.rows()))
      store.seed(added)
    },

    all: store.all,

    rows: store.rows,

    count: store.count,

    replaceAll(plants) {
      const replacements = plantTable(mapLazily(plants, withCallerKeys))
      log.replaceAll(replacements.rows())
      store.replaceAll(replacements)
    },

    change: (decide) => store.change(decide, (rows) => log.replaceAll(rows)),

    snapshot() {
      const restore = store.snapshot()
      return () => {
        const undo = store.snapshot()
        restore()
        try {
          log.replaceAll(store.rows())
        } catch (error) {
          undo()
          throw error
        }
      }
    },

    callerKey,

    withCallerKeys,

    loadFromLog: store.replaceAll,
  }
}
