import { readFile } from 'node:fs/promises'
import {
  type Entries,
  type LearnedAlike,
  parseAlike,
  parseAssumptionFile,
  parseEntries,
} from '../../core/assumptions/file.ts'
import type { AssumptionLayer } from '../../core/assumptions/resolve.ts'
import { PlantMockError } from '../../util/errors.ts'

/**
 * Loads an assumptions file.
 * @throws PlantMockError that names the file, the place and the reason.
 */
export const loadAssumptions = async (file: string): Promise<AssumptionLayer> =>
  parseAssumptionFile(await read(file), file)

/** The entries of an assumptions file. @throws PlantMockError that names the file, the place and the reason. */
export const loadEntries = async (file: string): Promise<Entries> => parseEntries(await read(file), file)

/** How alike a mock with an assumptions file and its service were. @throws PlantMockError as `loadEntries`. */
export const loadAlike = async (file: string): Promise<LearnedAlike | undefined> => parseAlike(await read(file), file)

const read = async (file: string): Promise<string> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`
    throw new PlantMockError(`The assumptions file ${file} ${reason}.`)
  })
  return text.replace(/^\uFEFF/, '')
}
