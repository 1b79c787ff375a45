import { isUtf8 } from 'node:buffer'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { maxHeldBody } from '../../core/http/exchange.ts'
import type { RecordedBodies } from '../../core/recording/entries.ts'
import { PlantMockError } from '../../util/errors.ts'
import { shellWord } from '../../util/shell.ts'
import { decodeBody } from './decode-body.ts'

/** The maximum size of a recording, in bytes. Parsed JSON needs about eight times its size in memory. */
export const maxRecording = 128 * 1024 * 1024

/** The bytes of a file, which may be compressed by gzip. @throws Error that says why they cannot be decompressed. */
export const unpacked = (bytes: Buffer, file: string): Buffer => {
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04')
    throw new PlantMockError(
      `${file} is a ZIP archive. Extract it, and name the .har file in it: unzip ${shellWord(file)} -d recording`,
    )
  return isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: maxRecording }) : bytes
}

/** RFC 1952, 2.3.1. */
const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Bodies of a HAR file. Files outside of its folder are not read. */
export const recordedBodies = (file: string): RecordedBodies => ({
  decode: decodeHarText,
  attached(name) {
    try {
      const folder = realpathSync(dirname(file))
      const path = realpathSync(join(folder, name))
      const way = relative(folder, path)
      const { size } = statSync(path)
      if (way.startsWith('..') || isAbsolute(way) || size > maxHeldBody) return undefined
      const bytes = readFileSync(path)
      return isUtf8(bytes) ? bytes.toString() : undefined
    } catch {
      return undefined
    }
  },
})

/**
 * The text of a body in a HAR file. Proxies record the bytes as they were sent, perhaps compressed; browsers record the
 * decoded text and keep the header.
 * @param encoding The Content-Encoding. Default: gzip for bytes that begin like it.
 * @returns `undefined` if the body cannot be decompressed.
 */
const decodeHarText: RecordedBodies['decode'] = (base64, encoding) => {
  const bytes = Buffer.from(base64, 'base64')
  // Decoders of deflate accept some texts, and ignore what follows.
  if (isUtf8(bytes) && !/[^\P{Cc}\s]/u.test(bytes.toString())) return bytes.toString()
  const decoded = decodeBody(bytes, encoding || (isGzip(bytes) ? 'gzip' : ''))
  return 'text' in decoded ? decoded.text : undefined
}
