import { lstatSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FixturePlant } from '../contract/schemas.ts'
import { PlantMockError } from '../util/errors.ts'
import { storedNames } from './caller-digest.ts'
import { lockFile } from './file-lock.ts'
import { type PersistentStore, persistentStore } from './persistent-store.ts'
import { type FileCalls, lineOf, type PlantFile, plantFile } from './plant-file.ts'
import { type Held, readHeld } from './read-plants.ts'
import { openFailure } from './storage-failure.ts'

/** A store whose plants are in a file. */
export type Persisted = {
  readonly store: PersistentStore
  /** Where the file is, links followed. */
  readonly path: string
  /** How many plants the file held when it was opened; with none, it begins with the fixtures. */
  readonly held: number
  /**
   * Takes what something else has written to the file, and says how many plants that are; `undefined` when it has not.
   * @throws PlantMockError when it cannot be used; then the plants are as before, and none is added until it can.
   */
  readonly reload: () => number | undefined
  /** Gives the file back; nothing can be added any more. */
  readonly close: () => void
  /** The same for a server that did not start: a file that was not there before is not there after. */
  readonly discard: () => void
}

export type PersistOptions = {
  /** An `.ndjson` file; it need not be there yet. */
  readonly file: string
  /** Told of a last line that was cut off. */
  readonly onNotice: (text: string) => void
}

/**
 * Opens a file to keep plants in.
 * @throws PlantMockError when it cannot be read or written, holds something else, or another server has it.
 */
export const openPersisted = ({ file, onNotice }: PersistOptions, calls?: FileCalls): Persisted => {
  if (!file.endsWith('.ndjson'))
    throw new PlantMockError(
      `Plants are kept in an .ndjson file, one plant a line; ${file || 'an empty name'} is none.`,
    )
  let unlock = (): void => undefined
  try {
    const path = pathOf(file)
    unlock = lockFile(path, file)
    const log = plantFile(path, file, calls)
    const store = persistentStore({ log, nameOf: storedNames() })
    const isNew = statSync(path, { throwIfNoEntry: false }) === undefined
    const held = open(path, file, store, log)
    const close = () => {
      log.close()
      unlock()
    }
    if (held.whole < held.size)
      onNotice(
        `${file}: the last line was cut off (${bytes(held.size - held.whole)}) and was dropped; it was never answered`,
      )
    return {
      store,
      path,
      held: held.plants.length,
      reload: () => (log.isForeign() ? takeAnew(path, file, store, log) : undefined),
      close,
      discard() {
        if (isNew) rmSync(path, { force: true })
        close()
      },
    }
  } catch (error) {
    unlock()
    throw openFailure(file, error)
  }
}

/** Where the file is. A link stays one: what it leads to is written, and made when it is not there yet. */
const pathOf = (file: string): string => {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    return isLink ? pathOf(resolve(realpathSync(dirname(file)), readlinkSync(file))) : resolve(file)
  }
  if (!stats.isFile()) throw new PlantMockError(`${file} cannot keep plants: it is no ordinary file.`)
  return realpathSync(file)
}

const none: Held = { plants: [], size: 0, whole: 0, unended: false }

const open = (path: string, file: string, store: PersistentStore, log: PlantFile): Held => {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return none
  const held = readHeld(path, file)
  log.resume(held)
  store.adopt(held.plants)
  return held
}

/** While we serve, a last line that is cut off is one that is being written, or a bad edit. */
const takeAnew = (path: string, file: string, store: PersistentStore, log: PlantFile): number | undefined => {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new PlantMockError(`${file} is gone; until it is back, none is added.`)
    const held = readHeld(path, file)
    if (held.whole < held.size) throw new PlantMockError(`${file} ends within a line.`)
    log.resume(held)
    if (isSame(held.plants, store)) return undefined
    store.adopt(held.plants)
    return held.plants.length
  } catch (error) {
    log.suspend()
    throw openFailure(file, error)
  }
}

/** A file that was written anew may hold the same as before. */
const isSame = (plants: readonly FixturePlant[], store: PersistentStore): boolean => {
  const there = store.all()
  return (
    plants.length === there.length && plants.every((plant, i) => lineOf(plant) === lineOf(there[i] ?? plant))
  )
}

const bytes = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`
