import { mkdir, mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Variation } from '../assumptions/variations.ts'
import { PlantMockError } from '../util/errors.ts'

/** The folder with the output of failed runs. */
export type OutputFolder = {
  readonly fileFor: (variation: Variation) => string
  /** Removes the folder if it is temporary and no output was kept. */
  readonly close: () => Promise<void>
}

/**
 * @param given The folder of `--output`; a temporary one if undefined.
 * @throws PlantMockError when the folder cannot be created.
 */
export const openOutputFolder = async (given: string | undefined): Promise<OutputFolder> => {
  const folder = given === undefined ? await createTemporary() : await create(given)
  return {
    fileFor: (variation) => join(folder, `${fileName(variation)}.log`),
    close: async () => {
      if (given === undefined) await removeIfEmpty(folder)
    },
  }
}

const createTemporary = (): Promise<string> =>
  mkdtemp(join(tmpdir(), 'plant-mock-vary-')).catch((error: Error) => {
    throw new PlantMockError(
      `The temporary folder cannot be created: ${error.message}. Choose another with --output FOLDER.`,
    )
  })

const create = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new PlantMockError(`The folder ${folder} cannot be created: ${error.message}.`)
  })
  return folder
}

const removeIfEmpty = (folder: string): Promise<void> =>
  rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })

/** The name of the variation; a long one is cut, because file systems limit names to 255 bytes. */
const fileName = ({ name }: Variation): string => {
  const safe = name.replaceAll(/[^\w.=-]+/g, '_')
  return safe.length <= 80 ? safe : `${safe.slice(0, 60)}_${hash(name)}`
}

const hash = (text: string): string => {
  let value = 0
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return value.toString(36)
}
