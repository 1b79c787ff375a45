import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { NodeExchange } from '../adapters/node/exchange.ts'
import { logUpgrade, type RequestLog } from '../adapters/node/logged-request.ts'
import { hasBody } from '../adapters/node/read-body.ts'
import { belowControl } from '../control/paths.ts'
import type { Upstream } from '../upstream/upstream.ts'

/**
 * Handles `upgrade` of node:http: forwards WebSockets to the upstream. Any other upgrade, and one to the control
 * interface, is ignored, and the request gets an ordinary response (RFC 9110, 7.8). The server no longer tracks an
 * upgraded connection, so `closing` destroys it.
 */
export const upgradeListener =
  ({ forwarder }: Upstream, listener: RequestListener, log: RequestLog, closing: AbortSignal) =>
  (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const destroy = () => socket.destroy()
    socket.on('error', destroy)
    const isControl = belowControl(new NodeExchange(req).path) !== undefined
    if (req.headers.upgrade?.toLowerCase() === 'websocket' && !isControl) {
      closing.addEventListener('abort', destroy)
      socket.on('close', () => closing.removeEventListener('abort', destroy))
      forwarder.upgrade(req, socket, head, logUpgrade(log, req))
    } else respondWithoutUpgrade(req, socket as Socket, listener)
  }

/** The parser of node:http stops after the headers of an upgrade, so a body can no longer be read. */
const respondWithoutUpgrade = (req: IncomingMessage, socket: Socket, listener: RequestListener): void => {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  // node:http has detached the connection, so nothing else would end it.
  res.on('finish', () => socket.destroySoon())
  if (hasBody(req))
    res.writeHead(400, { 'Content-Type': 'text/plain' }).end('An upgrade request must not have a body.\n')
  else listener(req, res)
}
