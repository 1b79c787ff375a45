import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GuardedListener } from './respond.ts'

export type Turn = {
  isReading: boolean
  isOver: boolean
  next: (() => void) | undefined
}

type Connection = {
  /** Each stream of HTTP/2 emits its own `close`, so an HTTP/2 connection keeps only the latest response. */
  responses: ServerResponse[]
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
 * When a connection closes, Node.js emits `close` only for the first of its pipelined responses; this listener emits it
 * for the others.
 */
export const trackResponses =
  (listener: GuardedListener): GuardedListener =>
  (req, res) => {
    const { responses } = connectionOf(req.socket)
    if (responses.length === 0 && req.httpVersionMajor === 1) req.socket.once('close', () => closeWaiting(responses))
    if (responses.length === 1 && (req.httpVersionMajor !== 1 || responses[0]?.writableFinished)) responses[0] = res
    else addTo(responses, res)
    return listener(req, res)
  }

const addTo = (unfinished: ServerResponse[], res: ServerResponse): void => {
  while (unfinished[0]?.writableFinished) unfinished.shift()
  unfinished.push(res)
}

const closeWaiting = (unfinished: readonly ServerResponse[]): void =>
  // Node.js first emits `close` for the first response.
  queueMicrotask(() => {
    for (const res of unfinished) {
      if (res.writableFinished || res.destroyed) continue
      res.destroy()
      res.emit('close')
    }
  })

export const lastResponse = (socket: Socket): ServerResponse | undefined => connectionOf(socket).responses.at(-1)
