import { readFile } from 'node:fs/promises'
import { PlantMockError } from '../util/errors.ts'
import { parseAssumptionFile } from './file.ts'
import type { AssumptionLayer } from './resolve.ts'

/**
 * Loads an assumptions file.
 * @throws PlantMockError that names the file, the place and the reason.
 */
export const loadAssumptions = async (file: string): Promise<AssumptionLayer> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`
    throw new PlantMockError(`The assumptions file ${file} ${reason}.`)
  })
  return parseAssumptionFile(text.replace(/^\uFEFF/, ''), file)
}
