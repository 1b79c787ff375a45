import { PlantMockError, StorageError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'

/** By error code of the file system. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the maximum file size is reached',
  EACCES: 'this process has no permission',
  EPERM: 'this process has no permission',
  EROFS: 'the file system is read-only',
  EIO: 'the disk fails',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'a folder has this name',
  EMFILE: 'too many files are open',
}

const outOfSpace = ['ENOSPC', 'EDQUOT', 'EFBIG']

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

const reasonOf = (error: unknown): string => {
  const reason = reasons[codeOf(error)]
  return reason === undefined ? messageOf(error) : `${reason} (${codeOf(error)})`
}

/** The error for a create or another change whose write failed. */
export const writeFailure = (file: string, error: unknown): StorageError => {
  if (error instanceof StorageError) return error
  const isFull = outOfSpace.includes(codeOf(error))
  return new StorageError(
    `${file} cannot be written: ${reasonOf(error)}. Nothing was added or changed. ${isFull ? 'Free space' : 'Fix this'}, then try again.`,
    isFull ? 'insufficient-storage' : 'internal-error',
  )
}

/** The error for a file that cannot be opened or reloaded. */
export const openFailure = (file: string, error: unknown): PlantMockError =>
  error instanceof PlantMockError
    ? error
    : new PlantMockError(`${file} cannot store plants: ${reasonOf(error)}. Fix this, or choose another file.`)
