import { closeSync, openSync, readSync } from 'node:fs'
import type { FixturePlant } from '../contract/schemas.ts'
import { blockDecoder, chunkSize, LineBlocks } from '../fixtures/lines.ts'
import { ndjsonParser } from '../fixtures/parse.ts'
import { Columns } from '../store/columns.ts'
import { PlantTable } from '../store/plant-table.ts'
import { PlantMockError } from '../util/errors.ts'
import { parseJson } from '../util/json.ts'

/** The content of a file of one plant a line. */
export type PlantFileContent = {
  readonly plants: PlantTable
  /** In bytes. */
  readonly size: number
  /** The size without an incomplete last line, in bytes. */
  readonly completeSize: number
  /** Whether the last line is a complete plant without a line end. */
  readonly lacksLineEnd: boolean
}

/**
 * Reads a file of one plant a line. A process that is killed while it writes can leave an incomplete last line.
 * @param shownPath The path as the user wrote it, for messages.
 * @param convert Applied to each plant.
 * @throws PlantMockError for an invalid line; Error of the file system.
 */
export const readPlantFile = (
  path: string,
  shownPath: string,
  convert: (plant: FixturePlant) => FixturePlant,
): PlantFileContent => {
  const columns = new Columns()
  const parse = ndjsonParser((plant) => columns.push(convert(plant)), shownPath)
  const decodeBlock = blockDecoder()
  const decode = (block: Buffer): string => {
    try {
      return decodeBlock(block)
    } catch {
      throw new PlantMockError(`${shownPath} is not UTF-8.`)
    }
  }

  const lines = new LineBlocks()
  let size = 0
  for (const chunk of readChunks(path)) {
    size += chunk.length
    parse(decode(lines.push(chunk)))
  }

  const rest = lines.rest()
  if (isIncompleteLine(rest))
    return { plants: new PlantTable(columns), size, completeSize: size - rest.length, lacksLineEnd: false }
  const count = columns.length
  parse(decode(rest))
  return { plants: new PlantTable(columns), size, completeSize: size, lacksLineEnd: columns.length > count }
}

function* readChunks(path: string): Generator<Buffer> {
  const fd = openSync(path, 'r')
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkSize)
      const length = readSync(fd, chunk)
      if (length === 0) return
      yield chunk.subarray(0, length)
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
