import type { IncomingMessage } from 'node:http'
import type { Body, Exchange } from '../../core/http/exchange.ts'
import { headerEntries, type RawHeaders } from '../../core/http/headers.ts'
import { sessionHeader } from '../../core/mock/sessions.ts'

/** A request of node:http as an exchange. The adapter sets its body once that is read, and a signal where somebody listens. */
export class NodeExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  body: Body = undefined
  bytes: Uint8Array | undefined = undefined
  signal: AbortSignal | undefined = undefined
  readonly #req: IncomingMessage

  constructor(req: IncomingMessage) {
    this.#req = req
    this.method = req.method ?? 'GET'
    const url = requestTarget(req)
    const mark = url.indexOf('?')
    this.path = mark === -1 ? url : url.slice(0, mark)
    this.query = mark === -1 ? '' : url.slice(mark + 1)
  }

  header(name: string): string | undefined {
    const { headers } = this.#req
    const value = headers[name] ?? (name === 'host' ? headers[authority] : undefined)
    return Array.isArray(value) ? value.join(', ') : value
  }

  headers(): RawHeaders {
    return withoutPseudoHeaders(this.#req.rawHeaders)
  }
}

/** Where HTTP/2 has the host (RFC 9113, 8.3.1). */
const authority = ':authority'

/** HTTP/2 has method, target and host as headers whose names begin with a colon, in front of the others. */
const withoutPseudoHeaders = (headers: RawHeaders): RawHeaders =>
  headers[0]?.startsWith(':')
    ? headerEntries(headers).flatMap(([name, value]) => {
        if (name === authority) return ['host', value]
        return name.startsWith(':') ? [] : [name, value]
      })
    : headers

/** Path and query of a request. A proxy may send the absolute form of the target (RFC 9112, 3.2.2). */
export const requestTarget = ({ url = '/' }: IncomingMessage): string =>
  url.startsWith('/') || url === '*' ? url : withPath(url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, ''))

/** A target without a path stands for the path `/` (RFC 9110, 4.2.3). */
const withPath = (target: string): string => (target.startsWith('/') ? target : `/${target}`)

export const sessionOf = ({ headers }: IncomingMessage): string | undefined => {
  const session = headers[sessionHeader]
  return Array.isArray(session) ? session.join(', ') : session
}
