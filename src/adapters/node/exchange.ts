import type { IncomingMessage } from 'node:http'
import type { Exchange } from '../../http/exchange.ts'
import { sessionHeader } from '../../mock/session-id.ts'

/** A request of node:http as plain data. Its body is set once it is read. */
export class NodeExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  body: Exchange['body'] = undefined
  bytes: Uint8Array | undefined = undefined
  readonly #req: IncomingMessage

  constructor(req: IncomingMessage) {
    this.#req = req
    this.method = req.method ?? 'GET'
    const url = targetOf(req)
    const mark = url.indexOf('?')
    this.path = mark === -1 ? url : url.slice(0, mark)
    this.query = mark === -1 ? '' : url.slice(mark + 1)
  }

  header(name: string): string | undefined {
    const value = this.#req.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  headers(): readonly string[] {
    return this.#req.rawHeaders
  }
}

/** A proxy may send the absolute form (RFC 9112, 3.2.2); what counts is path and query. */
export const targetOf = ({ url = '/' }: IncomingMessage): string =>
  url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '') || '/'

/** The session that a request chooses. */
export const sessionOf = ({ headers }: IncomingMessage): string | undefined => {
  const session = headers[sessionHeader]
  return Array.isArray(session) ? session.join(', ') : session
}
