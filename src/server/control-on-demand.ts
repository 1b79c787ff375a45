import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
// Not the global one: fake timers of a test must not stop the server, and jsdom has none.
import { setImmediate } from 'node:timers'
import { NodeExchange } from '../adapters/node/exchange.ts'
import type { GuardedListener } from '../adapters/node/last-guard.ts'
import type { ControlListener } from '../control/listener.ts'
import { belowControl, controlPath } from '../control/paths.ts'
import { problemResponse } from '../control/problem-response.ts'
import { messageOf } from '../util/words.ts'

/** A request that waits, and the settlement of its promise. */
type Request = {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly resolve: (handled: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * The control interface, loaded at its first request. All requests that arrive meanwhile wait, so that the first one
 * takes effect before them; node:http buffers their bodies until something reads them. When loading fails, requests to
 * the control interface are refused, and a later one tries again.
 * @param serve Serves a request that waited and is not for the control interface.
 * @param onNotice Receives the reason when loading fails.
 */
export const controlOnDemand = (
  load: () => Promise<ControlListener>,
  serve: GuardedListener,
  onNotice: (text: string) => void,
): ControlListener => {
  let listener: ControlListener | undefined
  let waiting: Request[] | undefined
  /** The request that waited and is being served. */
  let current: IncomingMessage | undefined

  const loadAndServe = async (requests: Request[]): Promise<void> => {
    try {
      listener = await load()
    } catch (error) {
      onNotice(`The control interface cannot be loaded: ${messageOf(error)}`)
    }
    for (let request = requests.shift(); request !== undefined; request = requests.shift()) {
      try {
        request.resolve(serveLate(request, listener ?? unavailable))
      } catch (error) {
        request.reject(error)
      }
      // A body is read at the end of this turn: a later request must not overtake it.
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    waiting = undefined
  }

  const serveLate = ({ req, res }: Request, control: ControlListener): unknown => {
    // The client has disconnected, or has got a response because the rest of its request is invalid.
    if (res.destroyed || res.headersSent) return true
    current = req
    try {
      return control(req, res) || serve(req, res)
    } finally {
      current = undefined
    }
  }

  return (req, res) => {
    const later = (requests: Request[]): Promise<unknown> =>
      new Promise((resolve, reject) => requests.push({ req, res, resolve, reject }))
    if (waiting !== undefined && req !== current) return later(waiting)
    if (listener !== undefined) return listener(req, res)
    if (!isForControl(req)) return false
    waiting = []
    const handled = later(waiting)
    const allowHalfOpen = halfOpenSwitch(req)
    allowHalfOpen(true)
    loadAndServe(waiting).then(() => allowHalfOpen(false))
    return handled
  }
}

/**
 * Whether the server of a request responds to a client that has ended its side of the connection. node:http otherwise
 * drops a request whose response is not ready by then.
 */
const halfOpenSwitch = ({ socket }: IncomingMessage): ((isAllowed: boolean) => void) => {
  const { server } = socket as Socket & { readonly server?: object }
  return (httpAllowHalfOpen) => {
    if (server !== undefined) Object.assign(server, { httpAllowHalfOpen })
  }
}

/** perf: finds the requests of the service before parsing their URL (`npm run bench`). */
const isForControl = (req: IncomingMessage): boolean =>
  req.url?.includes(controlPath) === true && belowControl(new NodeExchange(req).path) !== undefined

const unavailable: ControlListener = (req, res) => {
  if (!isForControl(req)) return false
  req.resume()
  const { status, headers, body } = problemResponse(
    'internal-error',
    'The control interface cannot be loaded. The log of plant-mock has the reason.',
  )
  res.writeHead(status, [...headers, 'Content-Length', String(Buffer.byteLength(body))]).end(body)
  return true
}
