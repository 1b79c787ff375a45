import { filterHeaders, type RawHeaders } from './headers.ts'

// `Symbol.for`, because adapter and mock may come from different copies of this package (`util/shared.ts`).

/** Represents a body over the limit, which the adapter drained without keeping it. */
export const bodyTooLarge: unique symbol = Symbol.for('plant-mock.body-too-large')
export const bodyNotUtf8: unique symbol = Symbol.for('plant-mock.body-not-utf-8')

export type Body = string | typeof bodyTooLarge | typeof bodyNotUtf8 | undefined

/** The largest body, in bytes, that is buffered on its way to or from an upstream or a handler. */
export const maxHeldBody = 16 * 1024 * 1024

export type ReceivedRequest = {
  readonly method: string
  /** As sent, without the query. */
  readonly path: string
  /** As sent, without `?`; empty without a query. */
  readonly query: string
  /** The value of a header by its name in lower case. */
  header(name: string): string | undefined
  headers(): RawHeaders
  readonly body: Body
  /** The body before decoding, if the adapter keeps it. */
  readonly bytes?: Uint8Array | undefined
  /** Aborted when the client gives up, if the adapter can detect that. */
  readonly signal?: AbortSignal | undefined
}

export const urlOf = ({ path, query }: Pick<ReceivedRequest, 'path' | 'query'>): string =>
  query === '' ? path : `${path}?${query}`

/** The name is in lower case; `undefined` removes the header. No spread: it would lose methods of a prototype. */
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
