import type { OperationId } from '../assumptions/operation-ids.ts'
import type { AssumptionId } from '../assumptions/registry.ts'
import type { CallerKey, Token } from '../contract/caller.ts'
import type { ProblemType } from '../contract/problems.ts'
import type { Violation } from '../contract/violation.ts'
import type { RawHeaders } from './headers.ts'

export const faultKinds = ['status', 'malformed', 'reset', 'truncate', 'endless'] as const
export type FaultKind = (typeof faultKinds)[number]

export type Delivery = 'reset' | 'truncate' | 'endless'

export type RespondedBy = 'upstream' | 'handlers'

export type Forwarded = {
  readonly by: RespondedBy
  /** The body as received; `body` of the reply is its text. */
  readonly bytes?: Uint8Array
  /** The remaining part of a body that is too large to be buffered. */
  readonly rest?: AsyncIterable<Uint8Array> | undefined
  /** Violations of the contract in request and response; `undefined` if unchecked. */
  readonly violations?: readonly Violation[] | undefined
  /** Why only the body of the response was not checked. */
  readonly unchecked?: string | undefined
}

export type ReplyMeta = {
  readonly operation: OperationId | undefined
  readonly caller: Token | CallerKey | undefined
  readonly problem: ProblemType | undefined
  readonly assumptions: readonly AssumptionId[]
  readonly fault: FaultKind | undefined
  readonly delivery: Delivery | undefined
  /** How long a fault delayed the reply, in milliseconds. */
  readonly delay: number
  /** `undefined` for a reply of the model. */
  readonly forwarded: Forwarded | undefined
}

export type Reply = {
  /** `noResponse` for a connection that a fault resets. */
  readonly status: number
  /** Without `Plant-Mock-Source` and `Plant-Mock-Violations`, which adapters derive from `meta`. */
  readonly headers: RawHeaders
  readonly body: string | undefined
  readonly meta: ReplyMeta
}

/** perf: an object literal, because spreading defaults costs 1 % of a GET (`npm run bench`). */
export const reply = (
  status: number,
  headers: RawHeaders,
  body: string | undefined,
  meta: Partial<ReplyMeta>,
): Reply => {
  const { operation, caller, problem, fault, delivery, forwarded } = meta
  const { assumptions = [], delay = 0 } = meta
  return {
    status,
    headers,
    body,
    meta: { operation, caller, problem, assumptions, fault, delivery, delay, forwarded },
  }
}

export const isSameReply = (a: Reply, b: Reply): boolean =>
  a === b ||
  (a.status === b.status &&
    a.body === b.body &&
    a.headers.length === b.headers.length &&
    a.headers.every((part, index) => part === b.headers[index]))

/** Closes an unread stream, because an open stream keeps its connection open. */
export const discardRest = (forwarded: Pick<Forwarded, 'rest'> | undefined): void => {
  forwarded?.rest?.[Symbol.asyncIterator]()
    .return?.()
    .catch(() => undefined)
}
