import { writeFileAtomically } from '../server/files/write-fixtures.ts'
import { PlantMockError } from '../util/errors.ts'

/**
 * Writes a JSON file, whole or not at all.
 * @param option The option that names the file; the error message begins with it.
 * @throws PlantMockError when the file cannot be written.
 */
export const writeJson = (file: string, content: unknown, option: string): Promise<void> =>
  writeFileAtomically(file, `${JSON.stringify(content, null, 2)}\n`).catch((error: Error) => {
    throw new PlantMockError(`${option} cannot write ${file}: ${error.message}.`)
  })
