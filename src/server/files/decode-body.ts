import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { maxHeldBody } from '../../core/http/exchange.ts'
import { shownCoding } from '../../core/http/media-type.ts'
import { isNestedTooDeep } from '../../util/json.ts'

export type DecodedBody = { readonly text: string } | { readonly invalid: string } | { readonly unchecked: string }

export const decodeBody = (bytes: Uint8Array, encoding = ''): DecodedBody => {
  if (bytes.length === 0) return { text: '' }
  let decoded = bytes
  const codings = encoding
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => !/^(?:identity)?$/i.test(coding))
  if (codings.length > maxCodings) return { unchecked: `the Content-Encoding has more than ${maxCodings} codings` }
  for (const coding of codings.reverse()) {
    const decode = decoders.get(coding.toLowerCase())
    if (decode === undefined) return { unchecked: `the Content-Encoding ${shownCoding(coding)} is unknown` }
    try {
      decoded = decode(decoded)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
        return { unchecked: `the decoded body has more than ${mebibytes(maxHeldBody)}` }
      return { invalid: `The Content-Encoding is ${coding}, but the body is not.` }
    }
  }
  if (!isUtf8(decoded)) return { invalid: notUtf8 }
  const text = new TextDecoder().decode(decoded)
  return isNestedTooDeep(text) ? { unchecked: 'the body is nested more than 500 levels deep' } : { text }
}

export const notUtf8 = 'The body is not JSON: it is not UTF-8.'

export const mebibytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`

/** Limits the work of decompression, because each of the named codings can expand a body to the maximum size. */
const maxCodings = 5

const bounded = { maxOutputLength: maxHeldBody }

/** Some servers omit the zlib header (0x78 0x9c) of a `deflate` body (RFC 9110, 8.4.1.2). */
const inflate = (bytes: Uint8Array): Uint8Array =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, bounded) : inflateRawSync(bytes, bounded)

const decoders: ReadonlyMap<string, (bytes: Uint8Array) => Uint8Array> = new Map([
  ['gzip', (bytes) => gunzipSync(bytes, bounded)],
  ['x-gzip', (bytes) => gunzipSync(bytes, bounded)],
  ['br', (bytes) => brotliDecompressSync(bytes, bounded)],
  ['deflate', inflate],
])
