import type { IncomingMessage } from 'node:http'
import type { LocalPlantMock } from '../../core/mock/create-plant-mock.ts'
import type { GuardedListener } from '../listener/last-guard.ts'
import { headersOf } from './client-error.ts'

/** Whether a request has several `Host` headers: node:http joins them, and a host has no comma. */
export const hasSeveralHosts = ({ headers }: IncomingMessage): boolean => headers.host?.includes(',') === true

export const oneHost = 'Send one Host header (RFC 9112, 3.2).'

/** Refuses a request with several `Host` headers (RFC 9112, 3.2), which one proxy reads as one host and the next as another. */
export const withOneHost =
  ({ instances: { root } }: LocalPlantMock, next: GuardedListener): GuardedListener =>
  (req, res) => {
    if (!hasSeveralHosts(req)) return next(req, res)
    req.resume()
    const reply = root.problem({ problem: 'malformed-request', detail: oneHost })
    return res.writeHead(reply.status, headersOf(reply)).end(reply.body)
  }
