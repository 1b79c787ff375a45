import { closeSync, openSync, readSync } from 'node:fs'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import { ndjsonParser } from '../../core/fixtures/parse.ts'
import { Plants } from '../../core/model/plants.ts'
import { PlantMockError } from '../../util/errors.ts'
import { parseJson } from '../../util/json.ts'
import { LineBuffer, lineDecoder } from '../files/lines.ts'

export type PlantFileContent = ReturnType<typeof readPlantFile>

/**
 * Reads a file with one plant per line. A process that is killed while writing can leave an incomplete last line.
 * @param shownPath The path as the user wrote it, for messages.
 * @param convert Applied to each plant.
 * @throws PlantMockError for an invalid line; Error of the file system.
 */
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
    /** The size without an incomplete last line, in bytes. */
    completeSize: isIncomplete ? size - rest.length : size,
    /** Whether the last line is a complete plant without a line end. */
    lacksLineEnd,
  }
}

/** The beginnings of all lines that `plantLine` writes. A line with another beginning is from another program. */
const linePrefixes = ['{"id":', '{"name":']

/** Whether the text is an incomplete line of `plantLine`. */
const isIncompleteLine = (bytes: Buffer): boolean => {
  // One character per byte, because the last character may be incomplete.
  const text = bytes.toString('latin1')
  if (text === '' || !linePrefixes.some((prefix) => text.startsWith(prefix) || prefix.startsWith(text))) return false
  return 'error' in parseJson(text)
}
