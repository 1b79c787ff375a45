import type { IncomingMessage } from 'node:http'
import { type Body, bodyNotUtf8, bodyTooLarge, type ReceivedRequest } from '../../core/http/exchange.ts'
import { filterHeaders, headerEntries, type RawHeaders, singleHeaders } from '../../core/http/headers.ts'
import { sessionHeader } from '../../core/mock/sessions.ts'
import type { Problem } from '../../core/model/result.ts'

export class NodeRequest implements ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  body: Body = undefined
  bytes: Uint8Array | undefined = undefined
  signal: AbortSignal | undefined = undefined
  readonly #req: IncomingMessage

  constructor(req: IncomingMessage) {
    this.#req = req
    this.method = req.method ?? 'GET'
    const url = requestTarget(req)
    const mark = url.indexOf('?')
    this.path = mark === -1 ? url : url.slice(0, mark)
    this.query = mark === -1 ? '' : url.slice(mark + 1)
  }

  header(name: string): string | undefined {
    if (name === 'content-encoding' && this.#isInflated()) return undefined
    const { headers } = this.#req
    const value = headers[name] ?? (name === 'host' ? headers[authority] : undefined)
    return Array.isArray(value) ? value.join(', ') : value
  }

  headers(): RawHeaders {
    const headers = withoutPseudoHeaders(this.#req.rawHeaders)
    return this.#isInflated() ? filterHeaders(headers, (name) => name !== 'content-encoding') : headers
  }

  /** Parsers such as `express.json` inflate a compressed body. */
  #isInflated(): boolean {
    return isParsed(this.#req) && this.body !== bodyNotUtf8
  }
}

const authority = ':authority'

const withoutPseudoHeaders = (headers: RawHeaders): RawHeaders =>
  headers[0]?.startsWith(':')
    ? headerEntries(headers).flatMap(([name, value]) => {
        if (name === authority) return ['host', value]
        return name.startsWith(':') ? [] : [name, value]
      })
    : headers

/** Accepts an absolute URL, which proxies may send (RFC 9112, 3.2.2). In such a URL, an empty path means `/`. */
export const requestTarget = ({ url = '/' }: IncomingMessage): string => {
  if (url.startsWith('/') || url === '*') return url
  const target = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  return target.startsWith('/') ? target : `/${target}`
}

export const sessionOf = ({ headers }: IncomingMessage): string | undefined => {
  const session = headers[sessionHeader]
  return Array.isArray(session) ? session.join(', ') : session
}

type UseBody = (body: Body, bytes?: Uint8Array) => void

/** Detects a body by headers in HTTP/1.1 (RFC 9112, 6.3), and by an open stream in HTTP/2 (RFC 9113, 8.1). */
export const hasBody = (req: IncomingMessage & { readonly stream?: { readonly endAfterHeaders?: boolean } }): boolean =>
  req.headers['transfer-encoding'] !== undefined ||
  (req.headers['content-length'] ?? '0') !== '0' ||
  req.stream?.endAfterHeaders === false

/** Refuses codings before `chunked`, such as `gzip, chunked` (RFC 9112, 6.1). node:http refuses other combinations. */
export const unsupportedTransfer = ({ headers }: IncomingMessage): Problem | undefined => {
  const coding = headers['transfer-encoding']
  if (coding === undefined || !/,\s*chunked$/i.test(coding)) return undefined
  return {
    problem: 'unsupported-transfer',
    detail: `The Transfer-Encoding ${coding} is not supported. Send the body without Transfer-Encoding, or as chunked (RFC 9112, 6.1).`,
  }
}

/** Refuses repeated headers, because a proxy and the mock may use different values. */
export const repeatedHeader = ({ headers, rawHeaders }: IncomingMessage): Problem | undefined => {
  for (const name of singleHeaders) {
    if (headers[name]?.includes(',') !== true) continue
    if (headerEntries(rawHeaders).filter(([given]) => given.toLowerCase() === name).length > 1)
      return { problem: 'malformed-request', detail: `Send the header ${name} once (RFC 9110, 5.3).` }
  }
  return undefined
}

/**
 * Passes the body to `use`. Drains a body above `maxSize` bytes, because many clients read a response only after they
 * have sent the whole body.
 * @param use Must not throw. perf: a promise instead of a callback would cost 6 % of a POST (`npm run bench`, POST).
 */
export const readBody = (req: IncomingMessage, maxSize: number, use: UseBody): void => {
  const parsed = parsedBody(req)
  if (parsed !== undefined) {
    useBytes(parsed.length > maxSize ? undefined : parsed, use)
    return
  }
  if (isConsumed(req)) {
    use(undefined)
    return
  }
  // Listens at once if middleware also reads the body, because the data may be gone by the next tick.
  if (req.readableFlowing !== null || req.readableEncoding !== null) {
    readChunks(req, null, maxSize, use)
    return
  }
  // perf: reads a small body with one `read` instead of events, which makes a POST a fifth cheaper (`npm run bench`).
  process.nextTick(() => {
    const first = req.read() as Buffer | null
    const isWhole = first !== null && first.length === Number(req.headers['content-length'])
    if (!isWhole || first.length > maxSize) {
      readChunks(req, first, maxSize, use)
      return
    }
    if (needsEnd(req)) req.resume()
    useBytes(first, use)
  })
}

export const bodyOf = (req: IncomingMessage, maxSize: number): Promise<Body> =>
  new Promise((done) => readBody(req, maxSize, done))

/** perf: calls `read`, because the event `end` of an unread body costs a tenth of a GET (`npm run bench`). */
export const skipBody = (req: IncomingMessage): void => {
  // Skips HTTP/2, where `read` would start the flow of the stream.
  if (req.httpVersionMajor === 1 && !needsEnd(req)) req.read(0)
}

const needsEnd = (req: IncomingMessage): boolean => req.listenerCount('end') > 0 || req.listenerCount('close') > 0

const readChunks = (req: IncomingMessage, first: Buffer | null, maxSize: number, use: UseBody): void => {
  const chunks: Buffer[] = []
  let size = 0
  const add = (chunk: Buffer): void => {
    size += chunk.length
    if (size <= maxSize) chunks.push(chunk)
    else chunks.length = 0
  }
  if (first !== null) add(first)
  req.on('readable', () => {
    for (let chunk: Buffer | string | null = req.read(); chunk !== null; chunk = req.read())
      add(typeof chunk === 'string' ? Buffer.from(chunk, req.readableEncoding ?? 'utf8') : chunk)
  })
  req.on('end', () => useBytes(size > maxSize ? undefined : Buffer.concat(chunks), use))
}

const useBytes = (bytes: Buffer | undefined, use: UseBody): void =>
  use(bytes === undefined ? bodyTooLarge : decode(bytes), bytes)

const decode = (bytes: Buffer): Body => {
  const text = textOf(bytes)
  if (text === undefined) return bodyNotUtf8
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

export const textOf = (bytes: Buffer): string | undefined => {
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') && !Buffer.from(text).equals(bytes) ? undefined : text
}

type ParsedRequest = IncomingMessage & { readonly body?: unknown }

/** Middleware has read the stream, which then emits no further event. */
const isConsumed = (req: IncomingMessage): boolean => req.readableEnded || req.destroyed

const isParsed = (req: ParsedRequest): boolean => req.body !== undefined && isConsumed(req)

const parsedBody = (req: ParsedRequest): Buffer | undefined => {
  const { body } = req
  if (!isParsed(req)) return undefined
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (body instanceof ArrayBuffer) return Buffer.from(body)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
