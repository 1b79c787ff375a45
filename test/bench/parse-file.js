/**
 * Reads a fixture file and parses it without keeping the plants: the least that loading it costs.
 * Usage: node parse-file.js FILE; a file .ndjson is parsed by line, one of .json at once.
 */
import { openSync, readFileSync, readSync } from 'node:fs'

const newline = 10

/** @param {string} file */
const parseLines = (file) => {
  const source = openSync(file, 'r')
  // Faster than a stream, and than the whole file at once, whose text does not fit into the cache of the processor.
  const buffer = Buffer.allocUnsafe(2 ** 18)
  let pending = 0
  for (;;) {
    const length = readSync(source, buffer, pending, buffer.length - pending, null)
    if (length === 0) return
    const filled = pending + length
    const end = buffer.lastIndexOf(newline, filled - 1)
    for (const line of buffer.toString('utf8', 0, end).split('\n')) JSON.parse(line)
    buffer.copyWithin(0, end + 1, filled)
    pending = filled - end - 1
  }
}

const [, , file = ''] = process.argv
if (file.endsWith('.ndjson')) parseLines(file)
else JSON.parse(readFileSync(file, 'utf8'))
