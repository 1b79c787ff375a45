import { isUtf8 } from 'node:buffer'
import { decodeBody } from './decode-body.ts'

/**
 * The text of a body in a HAR file. Proxies record the bytes as they were sent, perhaps compressed; browsers record the
 * decoded text and keep the header.
 * @param encoding The Content-Encoding. Default: gzip for bytes that begin like it (RFC 1952, 2.3.1).
 * @returns `undefined` if the body cannot be decompressed.
 */
export const decodeHarText = (base64: string, encoding?: string): string | undefined => {
  const bytes = Buffer.from(base64, 'base64')
  // Decoders of deflate accept some texts, and ignore what follows.
  if (isUtf8(bytes) && !/[^\P{Cc}\s]/u.test(bytes.toString())) return bytes.toString()
  const coding = encoding || (bytes[0] === 0x1f && bytes[1] === 0x8b ? 'gzip' : undefined)
  if (coding === undefined) return bytes.toString()
  const decoded = decodeBody(bytes, coding)
  return 'text' in decoded ? decoded.text : undefined
}
