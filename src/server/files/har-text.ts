import { gunzipSync } from 'node:zlib'

/** The largest body that is decompressed, in bytes. */
const maxBody = 64 * 1024 * 1024

/**
 * The text of a body in a HAR file. Proxies record the bytes as they were sent, perhaps compressed (RFC 1952, 2.3.1).
 * @returns `undefined` if the body cannot be decompressed.
 */
export const decodeHarText = (base64: string): string | undefined => {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString()
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBody }).toString()
  } catch {
    return undefined
  }
}
