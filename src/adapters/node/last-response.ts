import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const last = Symbol('last response')

/** A connection, with the response that node:http does not expose. */
type TrackedSocket = Socket & { [last]?: ServerResponse }

/** A listener that remembers the response to the latest request of each connection. */
export const trackLastResponse =
  (listener: RequestListener): RequestListener =>
  (req, res) => {
    ;(req.socket as TrackedSocket)[last] = res
    listener(req, res)
  }

/** The response to the latest request of a connection; `undefined` before the first. */
export const lastResponse = (socket: Socket): ServerResponse | undefined => (socket as TrackedSocket)[last]
