import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GuardedListener } from './last-guard.ts'

const last = Symbol('last response')

const unfinished = Symbol('unfinished responses')

/** A connection, with the responses that node:http does not expose. */
type TrackedSocket = Socket & { [last]?: ServerResponse; [unfinished]?: Set<ServerResponse> }

/**
 * A listener that remembers the response to the latest request of each connection. When a connection closes, the
 * responses that wait behind another one (pipelining) get the event `close`, as the first one does from Node.js.
 */
export const trackResponses =
  (listener: GuardedListener): GuardedListener =>
  (req, res) => {
    const socket = req.socket as TrackedSocket
    socket[last] = res
    // Streams of HTTP/2 have events of their own.
    if (req.httpVersionMajor === 1) {
      const waiting = socket[unfinished] ?? closeWith(socket)
      waiting.add(res)
      res.once('finish', () => waiting.delete(res))
    }
    return listener(req, res)
  }

const closeWith = (socket: TrackedSocket): Set<ServerResponse> => {
  const waiting = new Set<ServerResponse>()
  socket[unfinished] = waiting
  // After Node.js has told the first one.
  socket.once('close', () =>
    queueMicrotask(() => {
      for (const res of waiting) {
        if (res.destroyed) continue
        res.destroy()
        res.emit('close')
      }
    }),
  )
  return waiting
}

/** The response to the latest request of a connection; `undefined` before the first. */
export const lastResponse = (socket: Socket): ServerResponse | undefined => (socket as TrackedSocket)[last]
