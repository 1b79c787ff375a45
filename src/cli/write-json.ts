import { rename, rm, writeFile } from 'node:fs/promises'
import { PlantMockError } from '../contract/errors.ts'

/**
 * Writes a JSON file; first beside it and then in its place, so that it is never half there.
 * @throws PlantMockError that begins with `option`, the option that named the file.
 */
export const writeJson = async (file: string, content: unknown, option: string): Promise<void> => {
  const beside = `${file}.${process.pid}.tmp`
  try {
    await writeFile(beside, `${JSON.stringify(content, null, 2)}\n`)
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw new PlantMockError(`${option} cannot write ${file}: ${(error as Error).message}.`)
  }
}
