/**
 * Reads a fixture file and parses it without keeping the plants, in the plainest way.
 * Usage: node parse-file.js FILE; a file .ndjson is parsed by line, one of .json at once.
 */
import { readFileSync } from 'node:fs'

const [, , file = ''] = process.argv
const text = readFileSync(file, 'utf8')
if (file.endsWith('.ndjson')) {
  for (const line of text.split('\n')) if (line !== '') JSON.parse(line)
} else JSON.parse(text)
