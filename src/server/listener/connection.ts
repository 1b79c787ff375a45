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
  /** In HTTP/1: the pipelined responses. In HTTP/2: the latest response, because each stream emits its own `close`. */
  responses: ServerResponse[]
  lastTurn: Turn | undefined
}

const connection = Symbol('connection')

/** perf: a property of the socket, because a WeakMap would cost 1 % of a POST (`npm run bench`). */
type TrackedSocket = Socket & { [connection]?: Connection }

/** @param socket Null if middleware has destroyed the request, for example by `break` in `for await`. */
const connectionOf = (socket: TrackedSocket | null): Connection => {
  if (socket === null) return { responses: [], lastTurn: undefined }
  socket[connection] ??= { responses: [], lastTurn: undefined }
  return socket[connection]
}

/** Emits `close` for each pipelined response of a closed connection. Node.js emits it only for the first one. */
export const trackResponses =
  (listener: GuardedListener): GuardedListener =>
  (req, res) => {
    const { responses } = connectionOf(req.socket)
    if (responses.length === 0 && req.httpVersionMajor === 1) req.socket.once('close', () => closeWaiting(responses))
    if (responses.length === 1 && (req.httpVersionMajor !== 1 || responses[0]?.writableFinished)) responses[0] = res
    else {
      while (responses[0]?.writableFinished) responses.shift()
      responses.push(res)
    }
    return listener(req, res)
  }

const closeWaiting = (unfinished: readonly ServerResponse[]): void =>
  queueMicrotask(() => {
    for (const res of unfinished) {
      if (res.writableFinished || res.destroyed) continue
      res.destroy()
      res.emit('close')
    }
  })

export const lastResponse = (socket: Socket): ServerResponse | undefined => connectionOf(socket).responses.at(-1)

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
  turn.next?.()
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
        // Calls `listen` in an `async` function, because its error must not reach the earlier request.
        resolve((async () => listen(req, res, turn))())
        if (!turn.isReading) endTurn(turn)
      }
    })
  }
}
