import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GuardedListener } from './last-guard.ts'

const last = Symbol('last response')

/** A connection, with the response that node:http does not expose. */
type TrackedSocket = Socket & { [last]?: ServerResponse }

/** A listener that remembers the response to the latest request of each connection. */
export const trackLastResponse =
  (listener: GuardedListener): GuardedListener =>
  (req, res) => {
    ;(req.socket as TrackedSocket)[last] = res
    return listener(req, res)
  }

/** The response to the latest request of a connection; `undefined` before the first. */
export const lastResponse = (socket: Socket): ServerResponse | undefined => (socket as TrackedSocket)[last]
