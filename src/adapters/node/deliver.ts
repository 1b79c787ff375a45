import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { type Delivery, discardRest, type Reply } from '../../http/exchange.ts'
import { dripInterval } from '../../mock/create-plant-mock.ts'

/** How an answer is handed over that is not to arrive whole. */
const deliver: Readonly<
  Record<
    Delivery,
    (res: ServerResponse, reply: Reply, headers: string[], closing: AbortSignal | undefined) => void
  >
> = {
  // The answer has no socket of its own yet when those before it, to requests sent at one go, are still due.
  reset: (res) => res.req.socket.resetAndDestroy(),

  truncate(res, { status, body = '' }, headers) {
    res.writeHead(status, headers)
    const bytes = Buffer.from(body)
    res.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => res.destroy())
  },

  drip(res, { status }, headers, closing) {
    const length = headers.indexOf('Content-Length')
    if (length !== -1) headers.splice(length, 2)
    res.writeHead(status, headers)
    res.flushHeaders()
    const timer = setInterval(() => res.write(' '), dripInterval)
    const cutOff = () => res.destroy()
    closing?.addEventListener('abort', cutOff)
    res.on('close', () => {
      clearInterval(timer)
      closing?.removeEventListener('abort', cutOff)
    })
  },
}

/** Hands an answer over. Headers that node:http refuses would end the whole process; this answer alone ends. */
export const hand = (
  res: ServerResponse,
  reply: Reply,
  headers: string[],
  closing: AbortSignal | undefined,
): void => {
  try {
    if (reply.delivery === undefined) {
      res.writeHead(reply.status, headers)
      end(res, reply)
    } else deliver[reply.delivery](res, reply, headers, closing)
  } catch {
    discardRest(reply.forwarded ?? { rest: undefined })
    res.destroy()
  }
}

/** The body: as text, as the bytes that came, or as a stream where it is too large to hold. */
const end = (res: ServerResponse, { body, forwarded }: Reply): void => {
  if (forwarded?.rest === undefined) {
    res.end(forwarded?.bytes ?? body)
    return
  }
  res.write(forwarded.bytes)
  pipeline(Readable.from(forwarded.rest), res, () => undefined)
}
