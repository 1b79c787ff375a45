import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isPromise } from '../../util/maybe-promise.ts'
import type { GuardedListener, Handled } from './respond.ts'

export type Turn = {
  isReading: boolean
  isOver: boolean
  next: (() => void) | undefined
}

type Connection = {
  lastResponse: ServerResponse | undefined
  /** Pipelined responses that had to wait for an earlier response, in order. */
  waiting: ServerResponse[] | undefined
  lastTurn: Turn | undefined
}

const connection = Symbol('connection')

/** perf: a property of the socket, because a WeakMap would cost 1 % of a POST (`npm run bench`). */
type TrackedSocket = Socket & { [connection]?: Connection }

const newConnection = (): Connection => ({ lastResponse: undefined, waiting: undefined, lastTurn: undefined })

/** @param socket Null if middleware has destroyed the request, for example by `break` in `for await`. */
const connectionOf = (socket: TrackedSocket | null): Connection => {
  if (socket === null) return newConnection()
  socket[connection] ??= newConnection()
  return socket[connection]
}

/** Emits `close` for each pipelined response of a closed connection. Node.js emits it only for the first one. */
export const trackResponses =
  (listener: GuardedListener): GuardedListener =>
  (req, res) => {
    const tracked = connectionOf(req.socket)
    tracked.lastResponse = res
    // A response has no socket while it waits for an earlier response.
    if (res.socket === null) keepWaiting(req.socket, tracked, res)
    return listener(req, res)
  }

const keepWaiting = (socket: Socket, tracked: Connection, res: ServerResponse): void => {
  const waiting = tracked.waiting ?? []
  if (tracked.waiting === undefined) socket.once('close', () => closeWaiting(waiting))
  while (waiting[0]?.writableFinished) waiting.shift()
  waiting.push(res)
  tracked.waiting = waiting
}

const closeWaiting = (unfinished: readonly ServerResponse[]): void =>
  queueMicrotask(() => {
    for (const res of unfinished) {
      if (res.writableFinished || res.destroyed) continue
      res.destroy()
      res.emit('close')
    }
  })

export const lastResponse = (socket: Socket): ServerResponse | undefined => connectionOf(socket).lastResponse

const newTurn = ({ socket }: IncomingMessage): Turn => {
  const turn: Turn = { isReading: false, isOver: false, next: undefined }
  connectionOf(socket).lastTurn = turn
  return turn
}

export const beginReading = (req: IncomingMessage, turn = newTurn(req)): Turn => {
  turn.isReading = true
  return turn
}

export const endTurn = (turn: Turn): void => {
  turn.isOver = true
  // Calls `next` later, because a call for each of thousands of pipelined requests would overflow the stack.
  if (turn.next !== undefined) queueMicrotask(turn.next)
}

const holdTurn = <T>(req: IncomingMessage, response: Promise<T>, given?: Turn): Promise<T> => {
  const turn = beginReading(req, given)
  return response.finally(() => endTurn(turn))
}

/** Responds to pipelined HTTP/1.1 requests in the order of arrival (RFC 9112, 9.3.2). */
export const inTurn = (
  control: (req: IncomingMessage, res: ServerResponse) => Handled,
  service: (req: IncomingMessage, res: ServerResponse, turn?: Turn) => unknown,
): GuardedListener => {
  const listen = (req: IncomingMessage, res: ServerResponse, turn?: Turn): unknown => {
    const handled = control(req, res)
    if (handled === false) return service(req, res, turn)
    return isPromise(handled) ? holdTurn(req, handled, turn) : handled
  }
  return (req, res) => {
    const last = connectionOf(req.socket).lastTurn
    if (last === undefined || last.isOver || req.httpVersionMajor !== 1) return listen(req, res)
    const turn = newTurn(req)
    return new Promise((resolve) => {
      last.next = () => {
        // The earlier request calls `next`: without `async`, an error of `listen` would fail the earlier request.
        resolve((async () => listen(req, res, turn))())
        if (!turn.isReading) endTurn(turn)
      }
    })
  }
}
