import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { NodeExchange } from '../adapters/node/exchange.ts'
import { hasBody } from '../adapters/node/read-body.ts'
import { belowControl } from '../control/paths.ts'
import type { Upstream } from '../upstream/upstream.ts'

/**
 * WebSockets are the upstream's. Another upgrade, and one of the control interface, is not taken, and answered as if
 * it had not been asked for (RFC 9110, 7.8). What was upgraded is no more a connection that the server knows and closes.
 */
export const upgrades =
  ({ forwarder }: Upstream, listener: RequestListener, note: NoteUpgrade, closing: AbortSignal) =>
  (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const cutOff = () => socket.destroy()
    socket.on('error', cutOff)
    const isControl = belowControl(new NodeExchange(req).path) !== undefined
    if (req.headers.upgrade?.toLowerCase() !== 'websocket' || isControl) {
      ordinary(req, socket as Socket, listener)
      return
    }
    closing.addEventListener('abort', cutOff)
    socket.on('close', () => closing.removeEventListener('abort', cutOff))
    forwarder.upgrade(req, socket, head, note(req))
  }

export type NoteUpgrade = (req: IncomingMessage) => (status: number) => void

/** The parser has stopped at the headers, so that a body cannot be read any more. */
const ordinary = (req: IncomingMessage, socket: Socket, listener: RequestListener): void => {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  // node:http has let go of the connection: nobody else ends it when the client does not.
  res.on('finish', () => socket.destroySoon())
  if (hasBody(req))
    res.writeHead(400, { 'Content-Type': 'text/plain' }).end('An upgrade with a body is not taken.\n')
  else listener(req, res)
}
