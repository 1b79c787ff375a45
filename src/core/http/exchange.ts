import { filterHeaders, type RawHeaders } from './headers.ts'

// `Symbol.for` gives all copies of this package the same symbol, because adapter and mock may use different copies.

export const bodyTooLarge: unique symbol = Symbol.for('plant-mock.body-too-large')
export const bodyNotUtf8: unique symbol = Symbol.for('plant-mock.body-not-utf-8')

export type Body = string | typeof bodyTooLarge | typeof bodyNotUtf8 | undefined

/** In bytes: the largest body that the mock buffers when it forwards a request or runs a handler. */
export const maxHeldBody = 16 * 1024 * 1024

export type ReceivedRequest = {
  readonly method: string
  readonly path: string
  readonly query: string
  /** @param name In lower case. */
  header(name: string): string | undefined
  headers(): RawHeaders
  readonly body: Body
  readonly bytes?: Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
}

export const urlOf = ({ path, query }: Pick<ReceivedRequest, 'path' | 'query'>): string =>
  query === '' ? path : `${path}?${query}`

/** Copies each property, because `received` may be a class instance, whose methods a spread would lose. */
export const withHeader = (received: ReceivedRequest, name: string, value: string | undefined): ReceivedRequest => ({
  method: received.method,
  path: received.path,
  query: received.query,
  body: received.body,
  bytes: received.bytes,
  signal: received.signal,
  header: (wanted) => (wanted === name ? value : received.header(wanted)),
  headers: () => [
    ...filterHeaders(received.headers(), (given) => given !== name),
    ...(value === undefined ? [] : [name, value]),
  ],
})
