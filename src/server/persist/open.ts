import { lstatSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import type { Plants } from '../../core/model/plants.ts'
import { PlantMockError } from '../../util/errors.ts'
import { plural } from '../../util/words.ts'
import { createCallerKey } from './caller-key.ts'
import { lockFile } from './file-lock.ts'
import { type FileCalls, openFailure, plantFile, readPlantFile } from './plant-file.ts'

export type PersistedPlants = Awaited<ReturnType<typeof openPersistedPlants>>

export const openPersistedPlants = async (
  { file, onNotice }: { readonly file: string; readonly onNotice: (text: string) => void },
  calls?: FileCalls,
) => {
  if (!file.endsWith('.ndjson'))
    throw new PlantMockError(
      `The file that keeps plants must end in .ndjson (one plant per line), unlike ${file || 'an empty name'}.`,
    )
  const keyOf = createCallerKey()
  // perf: copies a plant only to change its `access`, because a file may have a million plants (`npm run bench`).
  const withCallerKeys = (plant: FixturePlant): FixturePlant => {
    const { access } = plant
    const isUnchanged = access === undefined || access.every((caller) => keyOf(caller) === caller)
    return isUnchanged ? plant : { ...plant, access: access.map(keyOf) }
  }
  let unlock = (): void => undefined
  try {
    const path = realPathOf(file)
    unlock = lockFile(path, file)
    const read = () => readPlantFile(path, file, withCallerKeys)
    const log = plantFile(path, file, calls)
    const isNew = !exists(path)
    const content = isNew ? undefined : read()
    if (content !== undefined) {
      log.resume(content)
      const dropped = content.size - content.completeSize
      if (dropped > 0)
        onNotice(`${file}: dropped an incomplete last line (${plural(dropped, 'byte')}); its create got no response`)
    }
    const close = (): void => {
      log.close()
      unlock()
    }
    return {
      plants: content?.plants,
      keyOf,
      path,
      write(before: Plants, after: Plants): undefined {
        // Rewrites the file to add several plants, because a process killed while appending could leave only some of
        // them.
        if (after.extends(before) && after.length === before.length + 1) log.append(after.at(before.length))
        else log.replaceAll(after)
      },
      reload(): Plants | undefined {
        if (!log.isChangedByOthers()) return undefined
        try {
          if (!exists(path))
            throw new PlantMockError(`${file} does not exist. No plant can be added until the file is restored.`)
          const content = read()
          if (content.completeSize < content.size) throw new PlantMockError(`The last line of ${file} is incomplete.`)
          log.resume(content)
          return content.plants
        } catch (error) {
          log.suspend()
          throw openFailure(file, error)
        }
      },
      close,
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

const realPathOf = (file: string): string => {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    return isLink ? realPathOf(resolve(realpathSync(dirname(file)), readlinkSync(file))) : resolve(file)
  }
  if (!stats.isFile()) throw new PlantMockError(`${file} cannot store plants: it is not a regular file.`)
  return realpathSync(file)
}
