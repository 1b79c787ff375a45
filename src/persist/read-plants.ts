import { closeSync, openSync, readSync } from 'node:fs'
import type { FixturePlant } from '../contract/schemas.ts'
import { parseFixtureLine } from '../fixtures/parse.ts'
import { PlantMockError } from '../util/errors.ts'

/** What a file of one plant a line holds. */
export type Held = {
  readonly plants: readonly FixturePlant[]
  /** How many bytes there are. */
  readonly size: number
  /** How many of them hold plants; what follows is the beginning of a line that was never written to its end. */
  readonly whole: number
  /** Whether the last line is a plant that only lacks its end of line. */
  readonly unended: boolean
}

const newline = 10

/** So many bytes are read at once. */
const block = 256 * 1024

/**
 * Reads a file of one plant a line. A last line without an end may be one that was cut off when a process was killed.
 * @param named The file as the user calls it, for messages.
 * @throws PlantMockError for a bad line; Error of the file system.
 */
export const readHeld = (path: string, named: string): Held => {
  const plants: FixturePlant[] = []
  let number = 0
  let size = 0
  let last: Buffer = Buffer.alloc(0)
  const take = (text: string): void => {
    const plant = parseFixtureLine(text, ++number, named)
    if (plant !== undefined) plants.push(plant)
  }

  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (const bytes of blocksOf(path)) {
    size += bytes.length
    const behind = Buffer.concat([last, bytes])
    const end = behind.lastIndexOf(newline) + 1
    last = behind.subarray(end)
    const lines = decode(decoder, behind.subarray(0, end), named, true).split('\n')
    lines.pop()
    for (const line of lines) take(line)
  }

  if (wasCutOff(last)) return { plants, size, whole: size - last.length, unended: false }
  const before = plants.length
  take(decode(decoder, last, named, false))
  return { plants, size, whole: size, unended: plants.length > before }
}

function* blocksOf(path: string): Generator<Buffer> {
  const fd = openSync(path, 'r')
  try {
    for (;;) {
      const bytes = Buffer.allocUnsafe(block)
      const count = readSync(fd, bytes)
      if (count === 0) return
      yield bytes.subarray(0, count)
    }
  } finally {
    closeSync(fd)
  }
}

const decode = (decoder: TextDecoder, bytes: Buffer, named: string, stream: boolean): string => {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    throw new PlantMockError(`${named} is not UTF-8.`)
  }
}

/** How the lines begin that are written here; another beginning is somebody else's. */
const beginnings = ['{"id":', '{"name":']

/** Whether this is the beginning of a line as they are written here, and not the whole of one. */
const wasCutOff = (last: Buffer): boolean => {
  // Byte by byte, for the cut may go through a character.
  const text = last.toString('latin1')
  if (text === '' || !beginnings.some((begin) => text.startsWith(begin) || begin.startsWith(text)))
    return false
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}
