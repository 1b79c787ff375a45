import { readFile } from 'node:fs/promises'
import { type Learned, parseAssumptionFile, parseBroken, parseEntries } from '../../core/assumptions/file.ts'
import type { AssumptionLayer } from '../../core/assumptions/resolve.ts'
import { PlantMockError } from '../../util/errors.ts'

/**
 * Loads an assumptions file.
 * @throws PlantMockError that names the file, the place and the reason.
 */
export const loadAssumptions = async (file: string): Promise<AssumptionLayer> =>
  parseAssumptionFile(await read(file), file)

/** The content of an assumptions file. @throws PlantMockError that names the file, the place and the reason. */
export const loadLearned = async (file: string): Promise<Learned> => {
  const text = await read(file)
  return { entries: parseEntries(text, file), broken: parseBroken(text, file) }
}

const read = async (file: string): Promise<string> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`
    throw new PlantMockError(`The assumptions file ${file} ${reason}.`)
  })
  return text.replace(/^\uFEFF/, '')
}
