import { isUtf8 } from 'node:buffer'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { maxHeldBody } from '../../core/http/exchange.ts'
import type { RecordedBodies } from '../../core/recording/entries.ts'
import { PlantMockError } from '../../util/errors.ts'
import { shellWord } from '../../util/shell.ts'
import { decodeBody } from './decode-body.ts'

/** In bytes. Limits memory, because parsed JSON needs about eight times the size of its text. */
export const maxRecording = 128 * 1024 * 1024

export const unpacked = (bytes: Buffer, file: string): Buffer => {
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04')
    throw new PlantMockError(
      `${file} is a ZIP archive. Extract it, and name the .har file in it: unzip ${shellWord(file)} -d recording`,
    )
  return isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: maxRecording }) : bytes
}

/** gzip begins with these bytes (RFC 1952, 2.3.1). */
const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/**
 * Reads only files in the folder of `file`, because `name` comes from that file, which is not trusted.
 * @param maxSize In bytes.
 */
export const fileBeside = (
  file: string,
  name: string,
  maxSize: number,
): { readonly bytes: Buffer } | { readonly reason: string } => {
  try {
    // Resolves symbolic links first, because a link may lead out of the folder.
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

/** Proxies record the sent bytes, perhaps compressed. Browsers record decoded text, but keep the Content-Encoding. */
const decodeHarText: RecordedBodies['decode'] = (base64, encoding) => {
  const bytes = Buffer.from(base64, 'base64')
  // Checks for plain text first, because deflate decoders accept some texts and ignore the remaining bytes.
  if (isUtf8(bytes) && !/[^\P{Cc}\s]/u.test(bytes.toString())) return bytes.toString()
  const decoded = decodeBody(bytes, encoding || (isGzip(bytes) ? 'gzip' : ''))
  return 'text' in decoded ? decoded.text : undefined
}
