import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const last = Symbol('the last answer')

/** A connection with what node:http does not tell of it. */
type Told = Socket & { [last]?: ServerResponse }

/** A listener that remembers of each connection what was asked last. */
export const remembering =
  (listener: RequestListener): RequestListener =>
  (req, res) => {
    ;(req.socket as Told)[last] = res
    listener(req, res)
  }

/** The answer to what was asked last on a connection; `undefined` where nothing was. */
export const lastAnswer = (socket: Socket): ServerResponse | undefined => (socket as Told)[last]
