import type { IncomingMessage, ServerResponse } from 'node:http'
import packageJson from '../../package.json' with { type: 'json' }
import { NodeExchange } from '../adapters/node/exchange.ts'
import { hasBody, readBody } from '../adapters/node/read-body.ts'
import type { Exchange } from '../http/exchange.ts'
import type { MockInstance } from '../mock/instance.ts'
import type { MockInstances } from '../mock/instances.ts'
import { PlantMockError } from '../util/errors.ts'
import { type Answer, answerControl, type Controlled, refuse, sessionIn } from './answer.ts'
import { eventsPath, tellEvents } from './events.ts'
import { type Guard, refusalOf } from './guard.ts'
import { belowControl, controlPath } from './paths.ts'
import { createSnapshots } from './snapshots.ts'

/** Answers a request when it is for the control interface; false when it is not. */
export type ControlListener = (req: IncomingMessage, res: ServerResponse) => boolean

/** A fixture of a million plants has about 80 MB; a hundred thousand are enough to send. */
const largestBody = 64 * 1024 * 1024

/** Connections that carry nothing for long are closed by what stands between. */
const heartbeat = 15_000

/** So much may wait in a connection before events are held back. */
const behind = 64 * 1024

export type ControlOptions = Guard & {
  /** Aborted once the server is closing: event streams end then. */
  readonly closing?: AbortSignal
  /** Why assumptions have the values that they started with, in words. */
  readonly provenance?: Readonly<Record<string, string>> | undefined
}

/** The control interface of a mock as a part of a node:http server. */
export const controlListener = (
  instances: MockInstances,
  { closing, provenance = {}, ...guard }: ControlOptions,
): ControlListener => {
  const controlled: Controlled = {
    instances,
    snapshots: createSnapshots(),
    version: packageJson.version,
    provenance,
    startedWith: instances.root.inForce,
  }

  const write = (res: ServerResponse, { status, headers, body }: Answer): void => {
    if (res.destroyed) return
    const length = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))]
    res.writeHead(status, [...headers, ...length, ...(closing?.aborted ? ['Connection', 'close'] : [])])
    res.end(body)
  }

  const respond = (res: ServerResponse, exchange: Exchange): void => {
    answerControl(exchange, controlled).then((answer) => write(res, answer))
  }

  return (req, res) => {
    // Cheap for all the requests that are the service's.
    if (req.url?.includes(controlPath) !== true) return false
    const { method, path, query, header, headers } = plainly(new NodeExchange(req))
    const below = belowControl(path)
    if (below === undefined) return false
    const exchange = { method, path: below, query, header, headers }
    const refusal = refusalOf({ header, localAddress: req.socket.localAddress }, guard)
    if (refusal !== undefined) {
      req.resume()
      write(res, refuse(refusal.problem, refusal.detail))
    } else if (exchange.path === eventsPath && method === 'GET') {
      const instance = instanceFor(exchange, instances)
      if ('status' in instance) write(res, instance)
      else streamEvents(res, instance, instances, closing)
    } else if (hasBody(req)) readBody(req, largestBody, (body) => respond(res, { ...exchange, body }))
    else respond(res, { ...exchange, body: undefined })
    return true
  }
}

/** The parts of an exchange, free of the object that they come from. */
const plainly = (exchange: NodeExchange) => ({
  method: exchange.method,
  path: exchange.path,
  query: exchange.query,
  header: (name: string) => exchange.header(name),
  headers: () => exchange.headers(),
})

const instanceFor = (
  exchange: Pick<Exchange, 'query' | 'header'>,
  instances: MockInstances,
): MockInstance | Answer => {
  const session = sessionIn(exchange)
  try {
    return session === undefined ? instances.root : instances.session(session)
  } catch (error) {
    if (error instanceof PlantMockError) return refuse('control-invalid', error.message)
    throw error
  }
}

/** Events go on until the reader leaves or the server closes. */
const streamEvents = (
  res: ServerResponse,
  instance: MockInstance,
  instances: MockInstances,
  closing: AbortSignal | undefined,
): void => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  const stopTelling = tellEvents(instance, instances.listen, {
    send: (text) => res.write(text),
    isReady: () => res.writableLength < behind,
  })
  const beat = setInterval(() => res.write(':\n\n'), heartbeat)
  const end = () => res.end()
  closing?.addEventListener('abort', end)
  res.on('close', () => {
    clearInterval(beat)
    stopTelling()
    closing?.removeEventListener('abort', end)
  })
}
