import { PlantMockError, StorageError } from '../util/errors.ts'

/** What the codes of the file system mean, for those who have to mend it. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow any more',
  EACCES: 'this process has no permission',
  EPERM: 'this process has no permission',
  EROFS: 'the file system is read-only',
  EIO: 'the disk fails',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'the folder is no folder',
  EISDIR: 'there is a folder of this name',
  EMFILE: 'too many files are open',
}

const noRoom: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  const reason = reasons[code]
  return reason === undefined ? (error as Error).message : `${reason} (${code})`
}

/** A write that failed, for those who asked for it. */
export const writeFailure = (file: string, error: unknown): StorageError => {
  if (error instanceof StorageError) return error
  const full = noRoom.has(codeOf(error))
  return new StorageError(
    `${file} cannot be written: ${reasonOf(error)}. Nothing was added or changed. ${full ? 'Make room' : 'Mend that'}, then try again.`,
    full ? 'insufficient-storage' : 'internal-error',
  )
}

/** A file that cannot be opened, for whoever starts the server. */
export const openFailure = (file: string, error: unknown): PlantMockError =>
  error instanceof PlantMockError
    ? error
    : new PlantMockError(`${file} cannot keep plants: ${reasonOf(error)}. Mend that, or choose another file.`)
