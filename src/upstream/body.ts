import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { mostHeld } from '../service/body-limit.ts'

/** What was read of a body: all of it, or a part and the rest of the stream. */
export type Held = { readonly bytes: Uint8Array; readonly rest: AsyncIterable<Uint8Array> | undefined }

/** Reads a body as far as it can be held; what is larger goes through unseen. */
export const hold = async (body: AsyncIterable<Uint8Array>): Promise<Held> => {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body[Symbol.asyncIterator]()
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    chunks.push(next.value)
    size += next.value.length
    if (size > mostHeld)
      return { bytes: Buffer.concat(chunks), rest: { [Symbol.asyncIterator]: () => reader } }
  }
  return { bytes: Buffer.concat(chunks), rest: undefined }
}

/** The text of a body, as far as it is text: `undefined` for one that cannot be decoded. */
export const textOf = (bytes: Uint8Array, encoding: string | undefined): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(decoded(bytes, encoding))
  } catch {
    return undefined
  }
}

const decoded = (bytes: Uint8Array, encoding = 'identity'): Uint8Array => {
  const options = { maxOutputLength: 4 * mostHeld }
  switch (encoding.trim().toLowerCase()) {
    case 'identity':
    case '':
      return bytes
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, options)
    case 'br':
      return brotliDecompressSync(bytes, options)
    case 'deflate':
      return inflateSync(bytes, options)
    default:
      throw new Error(`${encoding} cannot be decoded here`)
  }
}
