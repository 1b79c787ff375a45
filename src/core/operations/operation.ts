import type { Effect } from '../assumptions/operation-ids.ts'
import type { AssumptionId } from '../assumptions/registry.ts'
import type { BrokenRule, RuleId } from '../contract/rules.ts'
import type { ViolationFinding } from '../contract/violation.ts'
import type { ReceivedRequest } from '../http/exchange.ts'

export type Operation = {
  readonly method: string
  readonly path: string
  readonly section: string
  readonly summary: string
  readonly sample: { readonly path: string; readonly body?: string }
  readonly effect: Effect
  /** The assumption whose value `none` removes the operation from the service. */
  readonly servedBy?: AssumptionId
  readonly missingBy?: AssumptionId
  readonly checkRequest: (request: CheckedRequest) => readonly ViolationFinding[]
  readonly response?: ResponseJudge
}

export type ResponseJudge = {
  readonly bodyRule: RuleId
  readonly typeRule: RuleId
  readonly check: (json: unknown, request: AnsweredRequest) => readonly BrokenRule[]
}

export type AnsweredRequest = {
  readonly query: string
  readonly sent: unknown
  readonly isRepeated: boolean
  readonly hasTag: (element: unknown) => boolean
}

export type CheckedRequest = Pick<ReceivedRequest, 'method' | 'path' | 'query' | 'header' | 'body'>

export const queryNames = (query: string): readonly string[] => [...new Set(new URLSearchParams(query).keys())]
