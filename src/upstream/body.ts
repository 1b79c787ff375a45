import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { maxHeldBody } from '../http/exchange.ts'

/** A body as far as it was read, and the rest of the stream when it is too large to be held. */
export type HeldBody = {
  readonly bytes: Uint8Array
  readonly rest: AsyncIterable<Uint8Array> | undefined
}

/** Reads a body up to 16 MiB. */
export const holdBody = async (body: AsyncIterable<Uint8Array>): Promise<HeldBody> => {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body[Symbol.asyncIterator]()
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    chunks.push(next.value)
    size += next.value.length
    if (size > maxHeldBody) return { bytes: Buffer.concat(chunks), rest: { [Symbol.asyncIterator]: () => reader } }
  }
  return { bytes: Buffer.concat(chunks), rest: undefined }
}

/** Decodes a body; `undefined` for one that is no UTF-8 text or has an unknown Content-Encoding. */
export const decodeText = (bytes: Uint8Array, encoding: string | undefined): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(decompress(bytes, encoding))
  } catch {
    return undefined
  }
}

/** Bounds decompression, which a small body can blow up. */
const maxDecompressed = 4 * maxHeldBody

const decompress = (bytes: Uint8Array, encoding = 'identity'): Uint8Array => {
  const options = { maxOutputLength: maxDecompressed }
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
      throw new Error(`Unknown Content-Encoding ${encoding}`)
  }
}
