import { lstatSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import { memoryStore } from '../../core/store/memory-store.ts'
import type { PlantStore } from '../../core/store/plant-store.ts'
import { type PlantTable, plantTable } from '../../core/store/plant-table.ts'
import { PlantMockError } from '../../util/errors.ts'
import { mapLazily } from '../../util/lazy.ts'
import { plural } from '../../util/words.ts'
import { createCallerKey } from './caller-key.ts'
import { lockFile } from './file-lock.ts'
import { type FileCalls, openFailure, type PlantFile, plantFile, plantLine } from './plant-file.ts'
import { readPlantFile } from './read-plants.ts'

export type PersistedPlants = Awaited<ReturnType<typeof openPersistedPlants>>

/**
 * Opens an `.ndjson` file that keeps plants, which need not exist.
 * @param onNotice Receives a message for the user when an incomplete last line was dropped.
 * @param calls The functions of `node:fs` that write; for tests of failures.
 * @throws PlantMockError when the file cannot be read or written, is invalid, or is in use by another server.
 */
export const openPersistedPlants = async (
  { file, onNotice }: { readonly file: string; readonly onNotice: (text: string) => void },
  calls?: FileCalls,
) => {
  if (!file.endsWith('.ndjson'))
    throw new PlantMockError(
      `Plants are kept in an .ndjson file, one plant a line, not in ${file || 'a file without a name'}.`,
    )
  let unlock = (): void => undefined
  try {
    const path = realPathOf(file)
    unlock = lockFile(path, file)
    const read = () => readPlantFile(path, file, store.withCallerKeys)
    const log = plantFile(path, file, calls)
    const store = persistentStore(log)
    const isNew = !exists(path)
    if (!isNew) {
      const content = read()
      log.resume(content)
      store.loadFromLog(content.plants)
      const dropped = content.size - content.completeSize
      if (dropped > 0)
        onNotice(`${file}: dropped an incomplete last line (${plural(dropped, 'byte')}); its create got no response`)
    }
    const close = (): void => {
      log.close()
      unlock()
    }
    /** Unlike at the start, an incomplete last line is an error: another program may still be writing it. */
    const load = (): number | undefined => {
      if (!exists(path)) throw new PlantMockError(`${file} does not exist. Nothing can be added until it is restored.`)
      const content = read()
      if (content.completeSize < content.size) throw new PlantMockError(`The last line of ${file} is incomplete.`)
      log.resume(content)
      const { plants } = content
      // A file that was rewritten may have the same content.
      if (isEqual(plants, store)) return undefined
      store.loadFromLog(plants)
      return plants.length
    }
    return {
      store,
      /** The real path of the file, with symbolic links resolved. */
      path,
      /** The number of plants in the file when it was opened. With 0, the mock begins with the fixtures. */
      initialCount: store.count(),
      /**
       * Loads the file if another program has changed it.
       * @returns The number of plants; `undefined` when they are unchanged.
       * @throws PlantMockError when the file is invalid; then the plants stay, and changes fail until a reload succeeds.
       */
      reload(): number | undefined {
        if (!log.isChangedByOthers()) return undefined
        try {
          return load()
        } catch (error) {
          log.suspend()
          throw openFailure(file, error)
        }
      },
      close,
      /** Closes after a failed start, and deletes the file if it did not exist before. */
      discard(): void {
        if (isNew) rmSync(path, { force: true })
        close()
      },
    }
  } catch (error) {
    unlock()
    throw openFailure(file, error)
  }
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Resolves symbolic links, so that a write changes their target and not the link; the target need not exist. */
const realPathOf = (file: string): string => {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    return isLink ? realPathOf(resolve(realpathSync(dirname(file)), readlinkSync(file))) : resolve(file)
  }
  if (!stats.isFile()) throw new PlantMockError(`${file} cannot store plants: it is not a regular file.`)
  return realpathSync(file)
}

const isEqual = (plants: PlantTable, store: PersistentStore): boolean => {
  if (plants.length !== store.count()) return false
  const rows = store.all()
  return plants.rows.every((row, i) => plantLine(row) === plantLine(rows[i] ?? row))
}

type PersistentStore = ReturnType<typeof persistentStore>

/**
 * Makes a store in memory with a log: a change happens in memory and in the log, or, when the log throws, in neither.
 * Both happen synchronously, so no other request runs between them.
 */
const persistentStore = (log: Pick<PlantFile, 'append' | 'replaceAll'>) => {
  const store = memoryStore()
  const callerKey = createCallerKey()
  // perf: returns the same object when its keys do not change; a file may hold a million plants (`npm run bench`).
  const withCallerKeys = (plant: FixturePlant): FixturePlant => {
    const { access } = plant
    const isUnchanged =
      access === undefined || (access.length < 2 && access.every((caller) => callerKey(caller) === caller))
    return isUnchanged ? plant : { ...plant, access: [...new Set(access.map(callerKey))] }
  }

  /** Changes the plants in memory, and rewrites the log. */
  const rewrite = <Result>(change: () => Result): Result => {
    const undo = store.snapshot()
    const result = change()
    try {
      log.replaceAll(store.rows())
      return result
    } catch (error) {
      undo()
      throw error
    }
  }

  const keyed = (plants: Iterable<FixturePlant>): PlantTable => plantTable(mapLazily(plants, withCallerKeys))

  return {
    create(caller, plant, onDuplicate) {
      const key = callerKey(caller)
      const create = () => store.create(key, plant, onDuplicate)
      const existing = store.findDuplicate(key, plant.id, onDuplicate)
      if (existing !== undefined) return onDuplicate === 'replace' ? rewrite(create) : create()
      log.append({ ...plant, access: [key] })
      return create()
    },
    list: (caller, options) => store.list(callerKey(caller), options),
    knows: (caller) => store.knows(callerKey(caller)),
    seed(plants) {
      const added = keyed(plants)
      const [only, ...others] = added.rows
      // An append of several lines is not atomic: a kill can leave some of them. Nor is the creation of the file.
      const isAppended = only !== undefined && others.length === 0 && store.count() > 0
      if (!isAppended) return rewrite(() => store.seed(added))
      log.append(only)
      return store.seed(added)
    },
    all: store.all,
    rows: store.rows,
    count: store.count,
    replaceAll: (plants) => rewrite(() => store.replaceAll(keyed(plants))),
    change: (decide) => store.change(decide, (rows) => log.replaceAll(rows)),
    snapshot() {
      const restore = store.snapshot()
      return () => rewrite(restore)
    },
    callerKey,
    /** The plant with the keys of the callers in its `access`. */
    withCallerKeys,
    /** Replaces all plants in memory with the plants that the log holds; writes nothing. */
    loadFromLog: store.replaceAll,
  } satisfies PlantStore & Readonly<Record<string, unknown>>
}
