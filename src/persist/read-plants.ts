import { closeSync, openSync, readSync } from 'node:fs'
import type { FixturePlant } from '../contract/schemas.ts'
import { LineBuffer, lineDecoder } from '../fixtures/lines.ts'
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
    for (let length = readSync(fd, lines.free()); length > 0; length = readSync(fd, lines.free())) {
      size += length
      parse(decode(lines.fill(length)))
    }
  } finally {
    closeSync(fd)
  }

  const rest = lines.rest()
  if (isIncompleteLine(rest))
    return { plants: new PlantTable(columns), size, completeSize: size - rest.length, lacksLineEnd: false }
  const count = columns.length
  parse(decode(rest))
  return { plants: new PlantTable(columns), size, completeSize: size, lacksLineEnd: columns.length > count }
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
