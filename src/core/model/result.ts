import type { AssumptionId } from '../assumptions/registry.ts'
import type { FieldProblem, ProblemType } from '../contract/problems.ts'
import type { RawHeaders } from '../http/headers.ts'
import type { State } from './state.ts'

export type Success = {
  readonly status: number
  readonly body: string | undefined
  readonly assumptions: readonly AssumptionId[]
}

export type Problem = {
  readonly problem: ProblemType
  readonly detail: string
  readonly status?: number | undefined
  readonly errors?: readonly FieldProblem[]
  readonly headers?: RawHeaders
  readonly assumptions?: readonly AssumptionId[]
}

export type Performed = { readonly state: State; readonly result: Success | Problem }
