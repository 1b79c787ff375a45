import { PlantMockError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'

export const unreadable = (kind: string, file: string, error: unknown): PlantMockError => {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? `cannot be read: ${messageOf(error)}`
  return new PlantMockError(`The ${kind} file ${file} ${reason}.`)
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8',
}
