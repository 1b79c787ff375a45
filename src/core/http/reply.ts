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
  readonly bytes?: Uint8Array
  readonly rest?: AsyncIterable<Uint8Array> | undefined
  /** `undefined` if the exchange was not compared with the contract. */
  readonly violations?: readonly Violation[] | undefined
  readonly unchecked?: string | undefined
}

export type ReplyMeta = {
  readonly operation: OperationId | undefined
  readonly caller: Token | CallerKey | undefined
  readonly problem: ProblemType | undefined
  readonly assumptions: readonly AssumptionId[]
  readonly fault: FaultKind | undefined
  readonly delivery: Delivery | undefined
  readonly delay: number
  readonly forwarded: Forwarded | undefined
}

export type Reply = {
  readonly status: number
  /** Excludes `Plant-Mock-Source` and `Plant-Mock-Violations`, which adapters derive from `meta`. */
  readonly headers: RawHeaders
  readonly body: string | undefined
  readonly meta: ReplyMeta
}

/** perf: writes each default value out, because spreading default values costs 1 % of a GET (`npm run bench`). */
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

/** Closes the stream of an unread response, because the stream would keep its connection open. */
export const discardRest = (forwarded: Pick<Forwarded, 'rest'> | undefined): void => {
  forwarded?.rest?.[Symbol.asyncIterator]()
    .return?.()
    .catch(() => undefined)
}
