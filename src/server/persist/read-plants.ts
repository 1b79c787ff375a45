import { closeSync, openSync, readSync } from 'node:fs'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import { ndjsonParser } from '../../core/fixtures/parse.ts'
import { Plants } from '../../core/model/plants.ts'
import { PlantMockError } from '../../util/errors.ts'
import { parseJson } from '../../util/json.ts'
import { LineBuffer, lineDecoder } from '../files/lines.ts'

export type PlantFileContent = ReturnType<typeof readPlantFile>

/** A process killed while writing can leave an incomplete last line. @throws PlantMockError for an invalid line. */
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

/** `plantLine` writes no other beginning; any other line is from another program. */
const linePrefixes = ['{"id":', '{"name":']

const isIncompleteLine = (bytes: Buffer): boolean => {
  // Latin-1 decodes each byte, even of an incomplete character.
  const text = bytes.toString('latin1')
  if (text === '' || !linePrefixes.some((prefix) => text.startsWith(prefix) || prefix.startsWith(text))) return false
  return 'error' in parseJson(text)
}
