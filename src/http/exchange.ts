import type { AssumptionId } from '../assumptions/registry.ts'
import type { ProblemType } from '../contract/problems.ts'
import type { Caller } from '../contract/schemas.ts'
import type { OperationId } from '../operations/operations.ts'
import type { StoredPlant } from '../store/plant-store.ts'
import type { MaybePromise } from '../util/maybe-promise.ts'

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
  /** All headers as sent, names and values in turn. */
  headers(): readonly string[]
  /** The body as text; `undefined` when there is none. */
  readonly body: string | typeof bodyTooLarge | typeof bodyNotUtf8 | undefined
  /** The body as it came, where an adapter keeps that. */
  readonly bytes?: Uint8Array | undefined
}

/** Where an exchange is not as the contract shows it. */
export type Violation = {
  /** The section of contract.md. */
  readonly section: string
  readonly detail: string
  readonly in: 'request' | 'answer'
}

/** What an answer has that does not come from the model. */
export type Forwarded = {
  /** The upstream; the model, because the upstream was away; or handlers of the user's own. */
  readonly by: 'upstream' | 'fallback' | 'handlers'
  /** The body as it came; `body` of the reply is its text. */
  readonly bytes?: Uint8Array
  /** What follows `bytes`, when the whole was too large to hold. */
  readonly rest?: AsyncIterable<Uint8Array> | undefined
  /** Where request and answer violate the contract, when that was checked. */
  readonly violations?: readonly Violation[]
}

/**
 * How an answer is to be handed over when it is not to arrive whole: the connection is reset before it, cut off
 * in the middle of it, or kept open by a drop now and then that never completes it.
 */
export type Delivery = 'reset' | 'truncate' | 'drip'

/** What a fault may make of an answer. */
export const faultKinds = ['status', 'malformed', 'reset', 'truncate', 'drip'] as const
export type FaultKind = (typeof faultKinds)[number]

/** Plants as the body of an answer. Plants are never changed in place, so it stays what it was. */
export type PlantList = {
  readonly plants: readonly StoredPlant[]
  /** How many of them are shown. */
  readonly count: number
  readonly toString: () => string
}

/** Lets go of a stream that nobody is going to read: its connection would stay open for it. */
export const discardRest = ({ rest }: Pick<Forwarded, 'rest'> | { rest: undefined }): void => {
  rest?.[Symbol.asyncIterator]()
    .return?.()
    .catch(() => undefined)
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
  /** What the body of a list is made of. A journal keeps this, which is smaller, and makes the body again. */
  readonly list: PlantList | undefined
  /** Whether `limit` left plants out of this list. */
  readonly cut: boolean
  /** What the mock did to this reply on request; `undefined` for the service's own. */
  readonly fault: FaultKind | undefined
  readonly delivery: Delivery | undefined
  /** How long the reply was held back on purpose, in milliseconds. */
  readonly delay: number
  /** `undefined` for an answer of the model. */
  readonly forwarded: Forwarded | undefined
}

/** What an answer that the model did not give has of the model's own: nothing. */
export const notOfTheModel = {
  problem: undefined,
  assumptions: [],
  list: undefined,
  cut: false,
  fault: undefined,
  delivery: undefined,
  delay: 0,
} as const

/**
 * What answers in the place of the model: a real service, perhaps. `model` gives the model's own answer.
 */
export type Origin = (exchange: Exchange, model: () => MaybePromise<Reply>) => MaybePromise<Reply>
