import nodeFs, { closeSync, openSync, readSync } from 'node:fs'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import { ndjsonParser } from '../../core/fixtures/parse.ts'
import { Plants, type StoredPlant } from '../../core/model/plants.ts'
import { PlantMockError, StorageError } from '../../util/errors.ts'
import { exactJson } from '../../util/exact-json.ts'
import { parseJson } from '../../util/json.ts'
import { textChunks } from '../../util/text.ts'
import { messageOf } from '../../util/words.ts'
import { LineBuffer, lineDecoder } from '../files/lines.ts'

export type FileCalls = typeof import('node:fs')

type LogEntry = FixturePlant | StoredPlant

/** A completed write survives `kill -9`, but a power failure may lose it, because plant-mock does not call fsync(2). */
export const plantFile = (path: string, shownPath: string, calls: FileCalls = nodeFs) => {
  let size: number | undefined
  let completeSize = 0
  let lastUse = 0
  let isClosed = false

  const stat = () => calls.statSync(path, { throwIfNoEntry: false })

  const attempt = (work: (stats: ReturnType<typeof stat>) => void): void => {
    try {
      if (isClosed) throw new StorageError(`${shownPath} cannot be written: the server has stopped.`)
      const stats = stat()
      if (stats === undefined && size !== undefined)
        throw new StorageError(
          `${shownPath} was moved or deleted. Nothing was added or changed. Restore it, or restart to begin with the fixtures.`,
        )
      if (stats?.size !== size)
        throw new StorageError(
          `${shownPath} was changed by another program. Nothing was added or changed. Restart to load it; --watch loads it automatically.`,
        )
      work(stats)
    } catch (error) {
      throw writeFailure(shownPath, error)
    } finally {
      lastUse = Date.now() + 1
    }
  }

  const writeAll = (descriptor: number, bytes: Uint8Array, count: (written: number) => void): void => {
    for (let offset = 0; offset < bytes.length; ) {
      const written = calls.writeSync(descriptor, bytes, offset)
      offset += written
      count(written)
    }
  }

  const truncateIncomplete = (): void => {
    if (size === undefined || size === completeSize) return
    calls.truncateSync(path, completeSize)
    size = completeSize
  }

  const append = (text: string): void => {
    truncateIncomplete()
    // Opens the file for each append, because an editor may have replaced the file.
    const descriptor = calls.openSync(path, 'a')
    let end = completeSize
    size = end
    try {
      writeAll(descriptor, Buffer.from(text), (written) => {
        end += written
        size = end
      })
      completeSize = end
    } catch (error) {
      ignoreErrors(truncateIncomplete)
      throw error
    } finally {
      ignoreErrors(() => calls.closeSync(descriptor))
    }
  }

  const rewrite = (plants: Iterable<LogEntry>, mode: number | undefined): void => {
    const temporary = `${path}.tmp`
    calls.rmSync(temporary, { force: true })
    const descriptor = calls.openSync(temporary, 'ax')
    let end = 0
    try {
      try {
        for (const chunk of textChunks(plantLines(plants)))
          writeAll(descriptor, Buffer.from(chunk), (written) => {
            end += written
          })
        if (mode !== undefined) calls.fchmodSync(descriptor, mode & 0o7777)
      } finally {
        calls.closeSync(descriptor)
      }
      calls.renameSync(temporary, path)
    } catch (error) {
      ignoreErrors(() => calls.rmSync(temporary, { force: true }))
      throw error
    }
    size = end
    completeSize = end
  }

  return {
    append: (plant: LogEntry) => attempt(() => append(plantLine(plant))),
    replaceAll: (plants: Iterable<LogEntry>) => attempt((stats) => rewrite(plants, stats?.mode)),
    resume({ lacksLineEnd, ...content }: Omit<PlantFileContent, 'plants'>): void {
      size = content.size
      completeSize = content.completeSize
      // Appends even an empty text, which shows at the start whether the file is writable.
      attempt(() => append(lacksLineEnd ? '\n' : ''))
    },
    isChangedByOthers(): boolean {
      const stats = stat()
      return stats?.size !== size || (stats !== undefined && stats.mtimeMs > lastUse)
    },
    suspend(): void {
      size = Number.NaN
    },
    close(): void {
      if (size !== completeSize) ignoreErrors(() => attempt(truncateIncomplete))
      isClosed = true
    },
  }
}

const ignoreErrors = (cleanup: () => void): void => {
  try {
    cleanup()
  } catch {
    // Ignores an error of `cleanup`, because the caller reports the error that came first.
  }
}

/** Writes the keys in a fixed order, on which `isIncompleteLine` relies. */
const plantLine = ({ id, name, tag, access }: LogEntry): string => `${exactJson({ id, name, tag, access })}\n`

function* plantLines(plants: Iterable<LogEntry>): Generator<string> {
  for (const plant of plants) yield plantLine(plant)
}

const outOfSpace = ['ENOSPC', 'EDQUOT', 'EFBIG']

const reasonOf = (error: unknown): string => messageOf(error).replace(/, [a-z]+(?: '.*)?$/s, '')

const writeFailure = (file: string, error: unknown): StorageError => {
  if (error instanceof StorageError) return error
  const isFull = outOfSpace.includes((error as NodeJS.ErrnoException).code ?? '')
  return new StorageError(
    `${file} cannot be written: ${reasonOf(error)}. Nothing was added or changed. ${isFull ? 'Free space' : 'Fix this'}, then try again.`,
    isFull ? 'insufficient-storage' : 'internal-error',
  )
}

export const openFailure = (file: string, error: unknown): PlantMockError =>
  error instanceof PlantMockError
    ? error
    : new PlantMockError(`${file} cannot store plants: ${reasonOf(error)}. Fix this, or choose another file.`)

export type PlantFileContent = ReturnType<typeof readPlantFile>

/** Drops an incomplete last line, which remains if plant-mock is killed while it writes. */
export const readPlantFile = (path: string, shownPath: string, convert: (plant: FixturePlant) => FixturePlant) => {
  const plants = Plants.builder()
  const parse = ndjsonParser((plant) => plants.push(convert(plant)), shownPath)
  const decodeLines = lineDecoder()
  const decode = (bytes: Buffer): string => {
    try {
      return decodeLines(bytes)
    } catch {
      throw new PlantMockError(`${shownPath} is not UTF-8.`)
    }
  }

  const lines = new LineBuffer()
  let size = 0
  const fd = openSync(path, 'r')
  try {
    for (let length = readSync(fd, lines.chunk); length > 0; length = readSync(fd, lines.chunk)) {
      size += length
      parse(decode(lines.fill(length)))
    }
  } finally {
    closeSync(fd)
  }

  const rest = lines.rest
  const isIncomplete = isIncompleteLine(rest)
  const count = plants.length
  if (!isIncomplete) parse(decode(rest))
  const lacksLineEnd = plants.length > count
  return {
    plants: plants.build(),
    size,
    completeSize: isIncomplete ? size - rest.length : size,
    lacksLineEnd,
  }
}

const linePrefixes = ['{"id":', '{"name":']

const isIncompleteLine = (bytes: Buffer): boolean => {
  // Latin-1 keeps every byte, although an incomplete line may end within a UTF-8 character.
  const text = bytes.toString('latin1')
  if (text === '' || !linePrefixes.some((prefix) => text.startsWith(prefix) || prefix.startsWith(text))) return false
  return 'error' in parseJson(text)
}
