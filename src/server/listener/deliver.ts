import type { ServerResponse } from 'node:http'
import { type Delivery, discardRest, type Reply } from '../../core/http/reply.ts'
import { spaceInterval } from '../../core/mock/fetch.ts'
import type { MaybePromise } from '../../util/maybe-promise.ts'

type Deliver = (res: ServerResponse, reply: Reply, headers: string[], closing: AbortSignal | undefined) => void

/** Aborts only one stream in HTTP/2, because other requests share the connection. Returns false in HTTP/1. */
const abortStream = ({ stream }: ServerResponse & { readonly stream?: { close(code: number): void } }): boolean => {
  stream?.close(http2InternalError)
  return stream !== undefined
}

const http2InternalError = 2

const deliveries: Readonly<Record<Delivery, Deliver>> = {
  reset: (res) => (abortStream(res) ? undefined : res.req.socket.resetAndDestroy()),

  truncate(res, { status, body = '' }, headers) {
    res.writeHead(status, headers)
    const bytes = Buffer.from(body)
    res.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => {
      if (!abortStream(res)) res.destroy()
    })
  },

  endless(res, { status }, headers, closing) {
    const length = headers.indexOf('Content-Length')
    if (length !== -1) headers.splice(length, 2)
    res.writeHead(status, headers)
    res.flushHeaders()
    const timer = setInterval(() => res.write(' '), spaceInterval)
    const disconnect = () => res.destroy()
    closing?.addEventListener('abort', disconnect)
    res.on('close', () => {
      clearInterval(timer)
      closing?.removeEventListener('abort', disconnect)
    })
  },
}

export const deliver = (
  res: ServerResponse,
  reply: Reply,
  headers: string[],
  closing: AbortSignal | undefined,
): MaybePromise<void> => {
  const { delivery, forwarded } = reply.meta
  try {
    if (delivery !== undefined) deliveries[delivery](res, reply, headers, closing)
    else {
      res.writeHead(reply.status, headers)
      return sendBody(res, reply)
    }
  } catch {
    // Catches the error that node:http throws for an invalid header, because an uncaught error would end the process.
    discardRest(forwarded)
    res.destroy()
  }
  return undefined
}

const sendBody = (res: ServerResponse, { body, meta: { forwarded } }: Reply): MaybePromise<void> => {
  if (forwarded === undefined && body !== undefined) return sendText(res, body)
  if (forwarded?.rest !== undefined) {
    res.write(forwarded.bytes)
    return sendRest(res, forwarded.rest)
  }
  res.end(forwarded?.bytes ?? body)
  return undefined
}

/** perf: avoids `end(text)`, whose additional empty chunk costs 8 % of a GET (`npm run bench`). */
const sendText = (res: ServerResponse, text: string): void => {
  const { socket } = res
  socket?.cork()
  res.write(text)
  socket?.uncork()
  res.end()
}

const sendRest = async (res: ServerResponse, rest: AsyncIterable<Uint8Array>): Promise<void> => {
  const { pipeline, Readable } = await import('node:stream')
  pipeline(Readable.from(rest), res, () => undefined)
}
