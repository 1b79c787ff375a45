import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PlantMockError } from '../util/errors.ts'

/**
 * Creates the folder for the output of failed runs.
 * @param given The folder of `--output`; a temporary one if undefined.
 * @throws PlantMockError when the folder cannot be created.
 */
export const createOutputFolder = async (given: string | undefined): Promise<string> => {
  const refuse = (name: string, advice: string) => (error: Error) => {
    throw new PlantMockError(`The ${name} cannot be created: ${error.message}.${advice}`)
  }
  if (given !== undefined) {
    await mkdir(given, { recursive: true }).catch(refuse(`folder ${given}`, ''))
    return given
  }
  const prefix = join(tmpdir(), 'plant-mock-vary-')
  return mkdtemp(prefix).catch(refuse('temporary folder', ' Choose another with --output FOLDER.'))
}

/** Removes the folder unless output was kept in it. */
export const removeIfEmpty = (folder: string): Promise<void> =>
  rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })

/** A file with the name of a run; a long one is cut, because file systems limit names to 255 bytes. */
export const outputFile = (folder: string, name: string): string => {
  const safe = name.replaceAll(/[^\w.=-]+/g, '_')
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return join(folder, `${safe.length <= 80 ? safe : `${safe.slice(0, 60)}_${hash}`}.log`)
}
