import type { AssumptionId } from '../contract/assumptions.ts'
import type { OperationId } from '../contract/operations.ts'
import type { ProblemType } from '../contract/problems.ts'
import type { Caller } from '../contract/schemas.ts'

/** What an adapter puts in the place of a body that it could not hand over. */
export const bodyTooLarge = Symbol('body too large')
export const bodyNotUtf8 = Symbol('body not UTF-8')

/** A request as plain data. */
export type Exchange = {
  readonly method: string
  /** The path as sent, without the query. */
  readonly path: string
  /** The query as sent, without `?`; empty when there is none. */
  readonly query: string
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined
  /** The body as text; `undefined` when there is none. */
  readonly body: string | typeof bodyTooLarge | typeof bodyNotUtf8 | undefined
}

/** A response as plain data, with what a log or journal wants to know about it. */
export type Reply = {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string | undefined
  readonly operation: OperationId | undefined
  readonly caller: Caller | undefined
  readonly problem: ProblemType | undefined
  /** The assumptions that had a say in this reply. */
  readonly assumptions: readonly AssumptionId[]
}
