import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GuardedListener } from './respond.ts'

/** The position of a request in the queue of its connection. */
export type Turn = {
  /** Whether `endTurn` is called later, because the body or the response is pending. */
  isReading: boolean
  isOver: boolean
  /** Starts the next request in the queue. */
  next: (() => void) | undefined
}

/** State of a connection that node:http does not expose. */
type Connection = {
  /** The unfinished responses in order. For HTTP/2, whose streams have no order, only the latest response. */
  responses: ServerResponse[]
  /** The turn of the last request that had to wait. */
  lastTurn: Turn | undefined
}

const connection = Symbol('connection')

/** perf: a WeakMap instead of the property costs 1 % of a POST (`npm run bench`). */
type TrackedSocket = Socket & { [connection]?: Connection }

export const connectionOf = (socket: TrackedSocket): Connection => {
  socket[connection] ??= { responses: [], lastTurn: undefined }
  return socket[connection]
}

/**
 * A listener that remembers the unfinished responses of each connection. When a connection closes, Node.js emits
 * `close` only for the first response; this listener also emits `close` for the pipelined responses behind the first.
 */
export const trackResponses =
  (listener: GuardedListener): GuardedListener =>
  (req, res) => {
    const { responses } = connectionOf(req.socket)
    if (responses.length === 0 && req.httpVersionMajor === 1) req.socket.once('close', () => closeWaiting(responses))
    // For HTTP/2, keeps only the latest response: each stream emits its own `close`.
    if (responses.length === 1 && (req.httpVersionMajor !== 1 || responses[0]?.writableFinished)) responses[0] = res
    else addTo(responses, res)
    return listener(req, res)
  }

/** The responses of a connection finish in their order. */
const addTo = (unfinished: ServerResponse[], res: ServerResponse): void => {
  while (unfinished[0]?.writableFinished) unfinished.shift()
  unfinished.push(res)
}

const closeWaiting = (unfinished: readonly ServerResponse[]): void =>
  // Runs after Node.js has emitted `close` for the first response.
  queueMicrotask(() => {
    for (const res of unfinished) {
      if (res.writableFinished || res.destroyed) continue
      res.destroy()
      res.emit('close')
    }
  })

/** The response to the latest request of a connection; `undefined` before the first. */
export const lastResponse = (socket: Socket): ServerResponse | undefined => connectionOf(socket).responses.at(-1)
