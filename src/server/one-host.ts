import type { RequestListener } from 'node:http'
import { responseHeaders } from '../http/source.ts'
import type { LocalPlantMock } from '../mock/create-plant-mock.ts'

/** Refuses a request with several `Host` headers (RFC 9112, 3.2), which one proxy reads as one host and the next as another. */
export const withOneHost =
  ({ instances: { root } }: LocalPlantMock, next: RequestListener): RequestListener =>
  (req, res) => {
    // node:http joins them; a host has no comma.
    if (!req.headers.host?.includes(',')) {
      next(req, res)
      return
    }
    req.resume()
    const reply = root.problem({ problem: 'malformed-request', detail: 'Send one Host header (RFC 9112, 3.2).' })
    const { status, body = '' } = reply
    res.writeHead(status, [...responseHeaders(reply), 'Content-Length', String(Buffer.byteLength(body))]).end(body)
  }
