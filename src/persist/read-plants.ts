import { closeSync, openSync, readSync } from 'node:fs'
import type { FixturePlant } from '../contract/schemas.ts'
import { ndjsonParser } from '../fixtures/parse.ts'
import { PlantMockError } from '../util/errors.ts'
import { parseJson } from '../util/json.ts'

/** The content of a file of one plant a line. */
export type PlantFileContent = {
  readonly plants: readonly FixturePlant[]
  /** In bytes. */
  readonly size: number
  /** The size without an incomplete last line, in bytes. */
  readonly completeSize: number
  /** Whether the last line is a complete plant without a line end. */
  readonly lacksLineEnd: boolean
}

/** In bytes. */
const blockSize = 256 * 1024

/**
 * Reads a file of one plant a line. A process that is killed while it writes can leave an incomplete last line.
 * @param shownPath The path as the user wrote it, for messages.
 * @throws PlantMockError for an invalid line; Error of the file system.
 */
export const readPlantFile = (path: string, shownPath: string): PlantFileContent => {
  const plants: FixturePlant[] = []
  const parse = ndjsonParser(plants, shownPath)
  let size = 0
  let rest: Buffer = Buffer.alloc(0)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes: Buffer, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream })
    } catch {
      throw new PlantMockError(`${shownPath} is not UTF-8.`)
    }
  }

  for (const block of readBlocks(path)) {
    size += block.length
    const bytes = Buffer.concat([rest, block])
    const end = bytes.lastIndexOf('\n') + 1
    rest = bytes.subarray(end)
    parse(decode(bytes.subarray(0, end), true))
  }

  if (isIncompleteLine(rest)) return { plants, size, completeSize: size - rest.length, lacksLineEnd: false }
  const count = plants.length
  parse(`${decode(rest, false)}\n`)
  return { plants, size, completeSize: size, lacksLineEnd: plants.length > count }
}

function* readBlocks(path: string): Generator<Buffer> {
  const fd = openSync(path, 'r')
  try {
    for (;;) {
      const block = Buffer.allocUnsafe(blockSize)
      const length = readSync(fd, block)
      if (length === 0) return
      yield block.subarray(0, length)
    }
  } finally {
    closeSync(fd)
  }
}

/** The beginnings of the lines that `plantLine` writes; a line with another beginning is from another program. */
const linePrefixes = ['{"id":', '{"name":']

/** Whether this is the beginning, but not the whole, of a line that `plantLine` wrote. */
const isIncompleteLine = (bytes: Buffer): boolean => {
  // One character per byte, because the last character may be incomplete.
  const text = bytes.toString('latin1')
  if (text === '' || !linePrefixes.some((prefix) => text.startsWith(prefix) || prefix.startsWith(text))) return false
  return 'error' in parseJson(text)
}
