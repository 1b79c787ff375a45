import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { bodyNotUtf8, bodyTooLarge, type Exchange } from '../../http/exchange.ts'

type Body = Exchange['body']
type Done = (body: Body, bytes?: Uint8Array) => void

/** RFC 9112, 6.3: a request has a body when one of these headers says so. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/**
 * Reads a body of at most `limit` bytes. A larger one is drained, so that the client can finish sending and
 * then read the answer. When the client goes away, `done` is not called.
 */
export const readBody = (req: IncomingMessage, limit: number, done: Done): void => {
  const parsed = parsedBefore(req)
  if (parsed !== undefined) {
    const [body, bytes] = parsed
    if (body !== undefined && Buffer.byteLength(bytes ?? (body as string)) > limit) done(bodyTooLarge)
    else done(body, bytes)
    return
  }
  // Somebody in front of us reads along: what is read in the next tick may have passed by.
  if (req.readableFlowing !== null || req.readableEncoding !== null) {
    readOn(req, null, limit, done)
    return
  }
  // A small body comes with its headers in one packet: once the parser has had its turn, all of it is there.
  process.nextTick(() => {
    const first: Buffer | null = req.read()
    if (first !== null && first.length <= limit && first.length === Number(req.headers['content-length'])) {
      // The end of the stream, and of the request, is an event that costs as much as reading did.
      if (req.listenerCount('end') > 0 || req.listenerCount('close') > 0) req.resume()
      done(...decode(first))
    } else readOn(req, first, limit, done)
  })
}

/** Reads what follows `first`, packet by packet. */
const readOn = (req: IncomingMessage, first: Buffer | null, limit: number, done: Done): void => {
  const chunks: Buffer[] = []
  let size = 0
  const add = (chunk: Buffer): void => {
    size += chunk.length
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
  }
  if (first !== null) add(first)
  req.on('readable', () => {
    for (let chunk: Buffer | string | null = req.read(); chunk !== null; chunk = req.read())
      add(typeof chunk === 'string' ? Buffer.from(chunk, req.readableEncoding ?? 'utf8') : chunk)
  })
  req.on('end', () => {
    if (size > limit) done(bodyTooLarge)
    else done(...decode(joined(chunks)))
  })
}

/** Most bodies come in one piece. */
const joined = (chunks: readonly Buffer[]): Buffer => {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
}

const decode = (bytes: Buffer): [body: Body, bytes: Uint8Array] => {
  if (!isUtf8(bytes)) return [bodyNotUtf8, bytes]
  const text = bytes.toString('utf8')
  return [text.startsWith('\uFEFF') ? text.slice(1) : text, bytes]
}

/** In a framework, a body parser in front of us may have read the stream and left its result on the request. */
const parsedBefore = (
  req: IncomingMessage & { body?: unknown },
): [body: Body, bytes?: Uint8Array] | undefined => {
  if (!req.readableEnded || req.body === undefined) return undefined
  if (typeof req.body === 'string') return [req.body]
  return Buffer.isBuffer(req.body) ? decode(req.body) : [JSON.stringify(req.body)]
}
