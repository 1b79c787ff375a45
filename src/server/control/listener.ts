import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import packageJson from '../../../package.json' with { type: 'json' }
import { headerValue, type RawHeaders } from '../../core/http/headers.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { bodyOf, hasBody, NodeRequest, unsupportedTransfer } from '../listener/exchange.ts'
import { problemResponse } from '../listener/respond.ts'
import { type EventSubscription, heartbeatComment } from './events.ts'
import { type GuardOptions, refusalFor } from './guard.ts'
import { type ControlResponse, handleControl, maxBodyBytes, openExchange } from './handle.ts'
import type { ControlContext } from './route.ts'

const commonHeaders: RawHeaders = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

const heartbeatInterval = 15_000

const maxBufferedBytes = 64 * 1024

export type ControlOptions = GuardOptions & {
  readonly closing?: AbortSignal
  readonly provenance?: Readonly<Record<string, string>> | undefined
}

export const controlListener = (instances: MockInstances, { closing, provenance = {}, ...guard }: ControlOptions) => {
  const context: ControlContext = { instances, version: packageJson.version, provenance }

  const write = (res: ServerResponse, { status, headers, body }: ControlResponse): void => {
    if (res.destroyed) return
    const length = typeof body === 'string' ? ['Content-Length', String(Buffer.byteLength(body))] : []
    const close = closing?.aborted ? ['Connection', 'close'] : []
    res.writeHead(status, [...headers, ...commonHeaders, ...length, ...close])
    if (typeof body === 'string' || body === undefined) res.end(body)
    else if (res.req.method === 'HEAD') res.end()
    else if (typeof body === 'function') stream(res, body, closing)
    else pipeline(Readable.from(body), res, () => undefined)
  }

  return async (req: IncomingMessage, res: ServerResponse, path: string): Promise<void> => {
    const node = new NodeRequest(req)
    const { method, query } = node
    const open = openExchange({ method, path })
    if (open !== undefined) {
      req.resume()
      return write(res, await handleControl(open, context))
    }
    // Reads `Host` from the raw headers, because node:http by default drops a second `Host` header.
    const header = (name: string) => (name === 'host' ? headerValue(node.headers(), name) : node.header(name))
    const refusal = refusalFor(header, req.socket.localAddress, guard) ?? unsupportedTransfer(req)
    if (refusal !== undefined) {
      req.resume()
      return write(res, problemResponse(refusal.problem, refusal.detail))
    }
    const body = hasBody(req) ? await bodyOf(req, maxBodyBytes) : undefined
    write(res, await handleControl({ method, path, query, header, headers: () => node.headers(), body }, context))
  }
}

const stream = (res: ServerResponse, subscribe: EventSubscription, closing: AbortSignal | undefined): void => {
  const send = (text: string): void => {
    if (!res.writableEnded) res.write(text)
  }
  const end = () => res.end()
  const unsubscribe = subscribe({ send, isReady: () => res.writableLength < maxBufferedBytes, end })
  const heartbeat = setInterval(() => send(heartbeatComment), heartbeatInterval)
  closing?.addEventListener('abort', end)
  res.on('close', () => {
    clearInterval(heartbeat)
    unsubscribe()
    closing?.removeEventListener('abort', end)
  })
  if (closing?.aborted) end()
}
