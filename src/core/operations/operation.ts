import type { Effect } from '../assumptions/operation-ids.ts'
import type { AssumptionId } from '../assumptions/registry.ts'
import type { BrokenRule, RuleId } from '../contract/rules.ts'
import type { ViolationFinding } from '../contract/violation.ts'
import type { ReceivedRequest } from '../http/exchange.ts'

export type Operation = {
  readonly method: string
  /** Relative to the base URL, with `{parameter}` for a variable segment. */
  readonly path: string
  readonly section: string
  readonly summary: string
  /** A request that succeeds if a plant has the id: the path with its query, and the body. */
  readonly sample: { readonly path: string; readonly body?: string }
  readonly effect: Effect
  /** The assumption whose value `none` means that the service lacks the operation. Default: the contract states it. */
  readonly servedBy?: AssumptionId
  /** The assumption about the status for an id without a plant. Default: none, because the operation takes no id. */
  readonly missingBy?: AssumptionId
  readonly checkRequest: (request: CheckedRequest) => readonly ViolationFinding[]
  /** The judge of a success. Default: none, because the contract states nothing about it. */
  readonly response?: ResponseJudge
}

export type ResponseJudge = {
  /** The rules about the body as a whole, and about its Content-Type. */
  readonly bodyRule: RuleId
  readonly typeRule: RuleId
  readonly check: (json: unknown, request: AnsweredRequest) => readonly BrokenRule[]
}

export type AnsweredRequest = {
  readonly query: string
  /** The parsed body; `undefined` if it is unknown or not JSON. */
  readonly sent: unknown
  /** Whether an earlier create had the same id. */
  readonly isRepeated: boolean
  /** Whether an element of a list was created with a tag. */
  readonly hasTag: (element: unknown) => boolean
}

export type CheckedRequest = Pick<ReceivedRequest, 'method' | 'path' | 'query' | 'header' | 'body'>

export const queryNames = (query: string): readonly string[] => [...new Set(new URLSearchParams(query).keys())]
