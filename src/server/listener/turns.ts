import type { IncomingMessage, ServerResponse } from 'node:http'
import { isPromise } from '../../util/maybe-promise.ts'
import { connectionOf, type Turn } from './connection.ts'
import type { GuardedListener, Handled } from './respond.ts'

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

/**
 * Pipelined requests take effect in the order of arrival (RFC 9112, 9.3.2): a request waits while an earlier request
 * receives its body or is handled by the control interface. HTTP/2 streams have no order.
 * @param control Handles a request first, or returns false.
 * @param service Gets the turn of a request that had to wait.
 */
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
        // Async, so that an error is not thrown in the earlier request.
        resolve((async () => listen(req, res, turn))())
        if (!turn.isReading) endTurn(turn)
      }
    })
  }
}
