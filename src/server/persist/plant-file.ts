import nodeFs from 'node:fs'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import type { StoredPlant } from '../../core/store/plant-store.ts'
import { PlantMockError, StorageError } from '../../util/errors.ts'
import { textChunks } from '../../util/text.ts'
import { messageOf } from '../../util/words.ts'
import { modifiedIn, type PlantFileContent } from './read-plants.ts'

/** The functions of `node:fs`; tests inject failures. */
export type FileCalls = typeof import('node:fs')

type LogEntry = FixturePlant | StoredPlant

/** All plants in their order. A write is synchronous and atomic: when it throws a StorageError, the file is unchanged. */
export type PlantFile = ReturnType<typeof plantFile>

/**
 * Identifies the file as our last read or write left it. Each partial write updates `size`, in bytes; `modified` has the
 * times of `modifiedIn`.
 */
type FileState = { readonly ino: number; size: number; modified: string }

/**
 * Writes plants to a file, one a line. A write survives the end of this process, `kill -9` included, because write(2)
 * has handed it to the kernel; it may not survive a power failure, because nothing calls fsync(2). A write that fails
 * is undone by truncation.
 * @param shownPath The path as the user wrote it, for messages.
 * @param hasOurPlants Whether the file holds the plants that were read or written last. A program may have set its time alone.
 */
export const plantFile = (path: string, shownPath: string, hasOurPlants: () => boolean, calls: FileCalls = nodeFs) => {
  let fd: number | undefined
  /** `undefined` while the file does not exist. */
  let state: FileState | undefined
  /** The size of all complete lines, in bytes: less than the file's when a failed write could not be truncated. */
  let completeSize = 0
  let isClosed = false

  const closeDescriptor = (): void => {
    const open = fd
    fd = undefined
    if (open !== undefined) calls.closeSync(open)
  }

  const stat = () => calls.statSync(path, { throwIfNoEntry: false })

  const hasKnownState = (stats: ReturnType<typeof stat>): boolean => {
    if (stats?.ino !== state?.ino || stats?.size !== state?.size) return false
    if (stats === undefined || state === undefined || modifiedIn(stats) === state.modified) return true
    if (!hasOurPlants()) return false
    state.modified = modifiedIn(stats)
    return true
  }

  /** Marks a file as written by us: a write of another program sets the time of the clock tick, which may be that of ours. */
  const mark = (descriptor: number, target: FileState): void => {
    const time = (Date.now() + Math.random()) / 1_000
    // Only the owner of a file may set its time.
    ignoreErrors(() => calls.futimesSync(descriptor, time, time))
    target.modified = modifiedIn(calls.fstatSync(descriptor))
  }

  /** @throws StorageError when the file is not as we left it, or the work fails. */
  const attempt = (work: () => void): void => {
    try {
      if (isClosed) throw new StorageError(`${shownPath} cannot be written: the server has stopped.`)
      const stats = stat()
      if (stats === undefined && state !== undefined)
        throw new StorageError(
          `${shownPath} was moved or deleted. Nothing was added or changed. Restore it, or restart to begin with the fixtures.`,
        )
      if (!hasKnownState(stats))
        throw new StorageError(
          `${shownPath} was changed by another program. Nothing was added or changed. Restart to load it; --watch loads it automatically.`,
        )
      work()
    } catch (error) {
      throw writeFailure(shownPath, error)
    }
  }

  /** Calls write(2) until all bytes are written, and counts them in `target`: a later call may fail. */
  const writeAll = (descriptor: number, bytes: Uint8Array, target: FileState): void => {
    for (let offset = 0; offset < bytes.length; ) {
      const written = calls.writeSync(descriptor, bytes, offset)
      offset += written
      target.size += written
    }
  }

  const truncateIncomplete = (descriptor: number, target: FileState): void => {
    if (target.size === completeSize) return
    calls.ftruncateSync(descriptor, completeSize)
    target.size = completeSize
  }

  const append = (text: string): void => {
    fd ??= calls.openSync(path, 'a')
    state ??= { ino: calls.fstatSync(fd).ino, size: 0, modified: '' }
    const [descriptor, target] = [fd, state]
    truncateIncomplete(descriptor, target)
    try {
      writeAll(descriptor, Buffer.from(text), target)
      completeSize = target.size
    } catch (error) {
      // If this fails too, the next write truncates first.
      ignoreErrors(() => truncateIncomplete(descriptor, target))
      throw error
    } finally {
      ignoreErrors(() => mark(descriptor, target))
    }
  }

  /** Atomic: writes a temporary file, which then replaces the file. */
  const rewrite = (plants: Iterable<LogEntry>): void => {
    const temporary = `${path}.tmp`
    calls.rmSync(temporary, { force: true })
    const descriptor = calls.openSync(temporary, 'ax')
    let isOpen = true
    try {
      const target = { ino: calls.fstatSync(descriptor).ino, size: 0, modified: '' }
      for (const chunk of textChunks(plantLines(plants))) writeAll(descriptor, Buffer.from(chunk), target)
      const { mode } = stat() ?? {}
      // Without the bits of the file type, which chmod(2) does not set.
      if (mode !== undefined) calls.fchmodSync(descriptor, mode & 0o7777)
      mark(descriptor, target)
      isOpen = false
      calls.closeSync(descriptor)
      // Windows cannot replace a file that is open.
      closeDescriptor()
      calls.renameSync(temporary, path)
      // The rename is a change too.
      target.modified = modifiedIn(stat())
      state = target
      completeSize = target.size
    } catch (error) {
      if (isOpen) ignoreErrors(() => calls.closeSync(descriptor))
      ignoreErrors(() => calls.rmSync(temporary, { force: true }))
      throw error
    }
  }

  return {
    /** @throws StorageError when another program has changed the file, or it is closed. */
    check: () => attempt(() => undefined),
    append: (plant: LogEntry) => attempt(() => append(plantLine(plant))),
    replaceAll: (plants: Iterable<LogEntry>) => attempt(() => rewrite(plants)),
    /**
     * Continues after content that was read: truncates an incomplete last line, and ends a complete one.
     * @throws StorageError when that fails, or another program has changed the file since.
     */
    resume({ size, modified, lacksLineEnd, ...content }: Omit<PlantFileContent, 'plants'>): void {
      const stats = stat()
      closeDescriptor()
      state = stats && { ino: stats.ino, size, modified }
      completeSize = content.completeSize
      attempt(() => {
        fd ??= calls.openSync(path, 'a')
        if (state !== undefined) truncateIncomplete(fd, state)
        if (lacksLineEnd) append('\n')
      })
    },
    /** Whether another program has changed the file since our last read or write. */
    isChangedByOthers: () => !hasKnownState(stat()),
    /** Rejects writes until `resume`, while the content of the file is unknown. */
    suspend(): void {
      closeDescriptor()
      // Equals no file.
      state = { ino: -1, size: -1, modified: '' }
    },
    close(): void {
      const [descriptor, target] = [fd, state]
      if (descriptor !== undefined && target !== undefined) ignoreErrors(() => truncateIncomplete(descriptor, target))
      isClosed = true
      closeDescriptor()
    },
  }
}

/** For cleanup after an error, which is the one to report. */
const ignoreErrors = (cleanup: () => void): void => {
  try {
    cleanup()
  } catch {
    // The caller throws the first error.
  }
}

/** Renders a plant as a line. The order of the keys is what identifies an incomplete line (`read-plants.ts`). */
export const plantLine = ({ id, name, tag, access }: LogEntry): string =>
  `${JSON.stringify({ id, name, tag, access })}\n`

function* plantLines(plants: Iterable<LogEntry>): Generator<string> {
  for (const plant of plants) yield plantLine(plant)
}

/** Codes of a file system that has no room. */
const outOfSpace = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** The message of an error of the file system, without the call and its absolute path. */
const reasonOf = (error: unknown): string => messageOf(error).replace(/, [a-z]+(?: '.*)?$/s, '')

/** The error for a create or another change whose write failed. */
const writeFailure = (file: string, error: unknown): StorageError => {
  if (error instanceof StorageError) return error
  const isFull = outOfSpace.includes((error as NodeJS.ErrnoException).code ?? '')
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
