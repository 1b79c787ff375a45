import { writeFileAtomically } from '../fixtures/write.ts'
import { PlantMockError } from '../util/errors.ts'

/**
 * Writes a JSON file, whole or not at all.
 * @throws PlantMockError that begins with `option`, the option that named the file.
 */
export const writeJson = async (file: string, content: unknown, option: string): Promise<void> => {
  try {
    await writeFileAtomically(file, `${JSON.stringify(content, null, 2)}\n`)
  } catch (error) {
    throw new PlantMockError(`${option} cannot write ${file}: ${(error as Error).message}.`)
  }
}
