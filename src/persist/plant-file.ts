import nodeFs from 'node:fs'
import type { FixturePlant } from '../contract/schemas.ts'
import type { StoredPlant } from '../store/plant-store.ts'
import { StorageError } from '../util/errors.ts'
import { textChunks } from '../util/text-chunks.ts'
import type { PlantFileContent } from './read-plants.ts'
import { writeFailure } from './storage-failure.ts'

/** The functions of `node:fs`; tests inject failures. */
export type FileCalls = typeof nodeFs

type LogEntry = FixturePlant | StoredPlant

/** All plants in their order. A write is synchronous and atomic: when it throws a StorageError, the file is unchanged. */
export interface PlantFile {
  append(plant: LogEntry): void
  replaceAll(plants: Iterable<LogEntry>): void
  /**
   * Continues after content that was read: truncates an incomplete last line, and ends a complete one.
   * @throws StorageError when that fails, or another program has changed the file since.
   */
  resume(content: PlantFileContent): void
  /** Whether another program has changed the file since our last read or write. */
  isChangedByOthers(): boolean
  /** Rejects writes until `resume`, while the content of the file is unknown. */
  suspend(): void
  /** Rejects all further writes. */
  close(): void
}

/** Identifies the file as our last read or write left it. Each partial write updates `size`, in bytes. */
type FileState = { readonly ino: number; size: number }

/**
 * Writes plants to a file, one a line. A write survives the end of this process, `kill -9` included, because write(2)
 * has handed it to the kernel; it may not survive a power failure, because nothing calls fsync(2). A write that fails
 * is undone by truncation.
 * @param shownPath The path as the user wrote it, for messages.
 */
export const plantFile = (path: string, shownPath: string, calls: FileCalls = nodeFs): PlantFile => {
  let fd: number | undefined
  /** `undefined` while the file does not exist. */
  let state: FileState | undefined
  /** The size of all complete lines, in bytes: less than the file's when a failed write could not be truncated. */
  let completeSize = 0
  /** The time of our last read or write, in milliseconds since 1970. */
  let lastAccess = 0
  let isClosed = false

  const closeDescriptor = (): void => {
    const open = fd
    fd = undefined
    if (open !== undefined) calls.closeSync(open)
  }

  const stat = () => calls.statSync(path, { throwIfNoEntry: false })

  const hasKnownState = (stats: ReturnType<typeof stat>): boolean =>
    stats?.ino === state?.ino && stats?.size === state?.size

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
  const writeAll = (descriptor: number, text: string, target: FileState): void => {
    const bytes = Buffer.from(text)
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
    state ??= { ino: calls.fstatSync(fd).ino, size: 0 }
    const [descriptor, target] = [fd, state]
    truncateIncomplete(descriptor, target)
    try {
      writeAll(descriptor, text, target)
      completeSize = target.size
    } catch (error) {
      // If this fails too, the next write truncates first.
      ignoreErrors(() => truncateIncomplete(descriptor, target))
      throw error
    } finally {
      lastAccess = Date.now()
    }
  }

  /** Atomic: writes a temporary file, which then replaces the file. */
  const rewrite = (plants: Iterable<LogEntry>): void => {
    const temporary = `${path}.tmp`
    calls.rmSync(temporary, { force: true })
    const descriptor = calls.openSync(temporary, 'ax')
    let isOpen = true
    try {
      const target = { ino: calls.fstatSync(descriptor).ino, size: 0 }
      for (const chunk of textChunks(plantLines(plants))) writeAll(descriptor, chunk, target)
      const { mode } = stat() ?? {}
      // Without the bits of the file type, which chmod(2) does not set.
      if (mode !== undefined) calls.fchmodSync(descriptor, mode & 0o7777)
      isOpen = false
      calls.closeSync(descriptor)
      // Windows cannot replace a file that is open.
      closeDescriptor()
      calls.renameSync(temporary, path)
      state = target
      completeSize = target.size
      lastAccess = Date.now()
    } catch (error) {
      if (isOpen) ignoreErrors(() => calls.closeSync(descriptor))
      ignoreErrors(() => calls.rmSync(temporary, { force: true }))
      throw error
    }
  }

  return {
    append: (plant) => attempt(() => append(plantLine(plant))),
    replaceAll: (plants) => attempt(() => rewrite(plants)),
    resume(content) {
      const stats = stat()
      closeDescriptor()
      state = stats && { ino: stats.ino, size: content.size }
      completeSize = content.completeSize
      lastAccess = Date.now()
      attempt(() => {
        fd = calls.openSync(path, 'a')
        if (state !== undefined) truncateIncomplete(fd, state)
        if (content.lacksLineEnd) append('\n')
      })
    },
    isChangedByOthers() {
      const stats = stat()
      return !hasKnownState(stats) || (stats?.mtimeMs ?? 0) >= lastAccess + 1
    },
    suspend() {
      closeDescriptor()
      // Equals no file.
      state = { ino: -1, size: -1 }
    },
    close() {
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
