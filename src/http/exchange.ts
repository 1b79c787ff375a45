import type { RawHeaders } from './headers.ts'

// `Symbol.for`: the adapter and the mock may be of different copies of this package (`util/shared.ts`).

/** Stands for a body over the limit, which an adapter drained and did not keep. */
export const bodyTooLarge: unique symbol = Symbol.for('plant-mock.body-too-large')
/** Stands for a body that is not UTF-8. */
export const bodyNotUtf8: unique symbol = Symbol.for('plant-mock.body-not-utf-8')

/** A body as text; `undefined` when there is none. */
export type Body = string | typeof bodyTooLarge | typeof bodyNotUtf8 | undefined

/** The largest body, in bytes, that is held in memory while it passes through: to or from an upstream or a handler. */
export const maxHeldBody = 16 * 1024 * 1024

/** A request as plain data. */
export type Exchange = {
  readonly method: string
  /** As sent, without the query. */
  readonly path: string
  /** As sent, without `?`; empty when there is none. */
  readonly query: string
  /** The value of a header by its name in lower case. */
  header(name: string): string | undefined
  /** All headers as sent. */
  headers(): RawHeaders
  readonly body: Body
  /** The body before decoding, where the adapter keeps it. */
  readonly bytes?: Uint8Array | undefined
}

/** Path and query of an exchange. */
export const urlOf = ({ path, query }: Pick<Exchange, 'path' | 'query'>): string =>
  query === '' ? path : `${path}?${query}`
