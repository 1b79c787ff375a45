import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { belowControl } from '../../core/http/control-path.ts'
import { headerValue } from '../../core/http/headers.ts'
import { failureText } from '../../core/journal/redact.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import type { Problem } from '../../core/model/result.ts'
import { isServicePath } from '../../core/operations/operations.ts'
import { hasBody, NodeRequest, repeatedHeader } from '../listener/exchange.ts'
import { type RequestLog, recordLater } from '../listener/logged-request.ts'
import { attempt } from '../listener/respond.ts'
import { refuseUpgrade } from '../upstream/forward.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { hostProblem } from './connections.ts'

/** Ignores upgrades to protocols other than WebSocket, because node:http would stop reading the connection. */
export class WebSocketMessage extends IncomingMessage {
  isUpgrade = false

  // Evaluates the headers on read, because node:http sets `upgrade` before it has parsed the headers.
  get upgrade(): boolean {
    return this.isUpgrade && (this.method === 'CONNECT' || isWebSocket(this))
  }

  set upgrade(value: boolean) {
    this.isUpgrade = value
  }
}

const isWebSocket = (req: IncomingMessage): boolean => {
  if (req.method !== 'GET' || req.headers.upgrade?.toLowerCase() !== 'websocket') return false
  const { path } = new NodeRequest(req)
  return belowControl(path) === undefined && !isServicePath(path)
}

export const upgradeListener =
  (
    upstream: Upstream,
    log: RequestLog & { readonly instances: Pick<MockInstances, 'reportFailure'> },
    closing: AbortSignal,
  ) =>
  (req: IncomingMessage, socket: Socket, head: Buffer): void => {
    const destroy = () => socket.destroy()
    socket.on('error', destroy)
    closing.addEventListener('abort', destroy)
    socket.on('close', () => closing.removeEventListener('abort', destroy))
    const report = (error: unknown) => log.instances.reportFailure(error, { headers: req.rawHeaders })
    const serve = (): void => {
      const write = recordLater(log, req)
      const note = (status: number) => attempt(() => write(status), report)
      const refusal = refusalFor(req, upstream)
      if (refusal === undefined) upstream.upgrade(req, socket, head, note)
      else refuseUpgrade(socket, refusal, note)
    }
    attempt(serve, (error) => {
      report(error)
      refuseUpgrade(socket, { problem: 'internal-error', detail: failureText })
    })
  }

const refusalFor = (req: IncomingMessage, upstream: Upstream): Problem | undefined => {
  // Prevents request smuggling: the upstream could parse the body of a handshake as another request.
  if (hasBody(req))
    return { problem: 'malformed-request', detail: 'A WebSocket handshake has no body (RFC 6455, 4.1).' }
  const malformed = hostProblem(req) ?? repeatedHeader(req)
  if (malformed !== undefined) return malformed
  const detail = upstream.refusalFor((name) => headerValue(req.rawHeaders, name))
  return detail === undefined ? undefined : { problem: 'foreign-origin', detail }
}
