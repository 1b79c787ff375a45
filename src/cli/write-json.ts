import { writeFileAtomically } from '../fixtures/write.ts'
import { PlantMockError } from '../util/errors.ts'
import { messageOf } from '../util/words.ts'

/**
 * Writes a JSON file, whole or not at all.
 * @param option The option that names the file; the error message begins with it.
 * @throws PlantMockError when the file cannot be written.
 */
export const writeJson = async (file: string, content: unknown, option: string): Promise<void> => {
  try {
    await writeFileAtomically(file, `${JSON.stringify(content, null, 2)}\n`)
  } catch (error) {
    throw new PlantMockError(`${option} cannot write ${file}: ${messageOf(error)}.`)
  }
}
