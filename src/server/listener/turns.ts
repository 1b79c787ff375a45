import type { IncomingMessage } from 'node:http'
import { connectionOf, type Turn } from './connection.ts'

const newTurn = ({ socket }: IncomingMessage): Turn => {
  const turn: Turn = { isReading: false, isOver: false, next: undefined }
  connectionOf(socket).lastTurn = turn
  return turn
}

/** Lets the requests behind this one wait until `endTurn`, because its body has to arrive first. */
export const beginReading = (req: IncomingMessage, turn = newTurn(req)): Turn => {
  turn.isReading = true
  return turn
}

export const endTurn = (turn: Turn): void => {
  turn.isOver = true
  turn.next?.()
}

/** Lets the requests behind this one wait until its response is decided. */
export const holdTurn = <T>(req: IncomingMessage, response: Promise<T>, given?: Turn): Promise<T> => {
  const turn = beginReading(req, given)
  return response.finally(() => endTurn(turn))
}

/**
 * Lets pipelined requests take effect in the order in which they came (RFC 9112, 9.3.2): those behind a body that is still
 * arriving, such as in chunks, or behind a request of the control interface, wait. Streams of HTTP/2 have no order.
 * @param listen Begins a request. Gets the turn of one that had to wait.
 */
export const inTurn =
  <Res>(listen: (req: IncomingMessage, res: Res, turn?: Turn) => unknown) =>
  (req: IncomingMessage, res: Res): unknown => {
    const last = connectionOf(req.socket).lastTurn
    if (last === undefined || last.isOver || req.httpVersionMajor !== 1) return listen(req, res)
    const turn = newTurn(req)
    return new Promise((resolve) => {
      last.next = () => {
        // An async function, so that what it throws is not thrown at the request in front.
        resolve((async () => listen(req, res, turn))())
        if (!turn.isReading) endTurn(turn)
      }
    })
  }
