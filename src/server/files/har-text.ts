import { isUtf8 } from 'node:buffer'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { maxHeldBody } from '../../core/http/exchange.ts'
import type { RecordedBodies } from '../../core/recording/entries.ts'
import { PlantMockError } from '../../util/errors.ts'
import { shellWord } from '../../util/shell.ts'
import { decodeBody } from './decode-body.ts'

export const maxRecording = 128 * 1024 * 1024

export const unpacked = (bytes: Buffer, file: string): Buffer => {
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04')
    throw new PlantMockError(
      `${file} is a ZIP archive. Extract it, and name the .har file in it: unzip ${shellWord(file)} -d recording`,
    )
  return isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: maxRecording }) : bytes
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Prevents path traversal: a name in an untrusted document must not lead out of the document's folder. */
export const fileBeside = (
  file: string,
  name: string,
  maxSize: number,
): { readonly bytes: Buffer } | { readonly reason: string } => {
  try {
    const [folder, path] = [dirname(file), join(dirname(file), name)].map((one) => realpathSync(one)) as [
      string,
      string,
    ]
    const way = relative(folder, path)
    if (way.startsWith('..') || isAbsolute(way)) return { reason: 'leads out of the folder of the document' }
    const stats = statSync(path)
    return stats.isFile() && stats.size <= maxSize
      ? { bytes: readFileSync(path) }
      : { reason: `leads to a folder, or to a file of more than ${maxSize} bytes` }
  } catch {
    return { reason: 'leads to no readable file' }
  }
}

export const recordedBodies = (file: string): RecordedBodies => ({
  decode: decodeHarText,
  attached(name) {
    const found = fileBeside(file, name, maxHeldBody)
    return 'bytes' in found && isUtf8(found.bytes) ? found.bytes.toString() : undefined
  },
})

const decodeHarText: RecordedBodies['decode'] = (base64, encoding) => {
  const bytes = Buffer.from(base64, 'base64')
  // Tests for plain text first, because browsers record the decoded text together with the header Content-Encoding.
  if (isUtf8(bytes) && !/[^\P{Cc}\s]/u.test(bytes.toString())) return bytes.toString()
  const decoded = decodeBody(bytes, encoding || (isGzip(bytes) ? 'gzip' : ''))
  return 'text' in decoded ? decoded.text : undefined
}
