import type { AssumptionId } from '../assumptions/registry.ts'
import type { FieldProblem, ProblemType } from '../contract/problems.ts'
import type { RawHeaders } from '../http/headers.ts'
import type { State } from './state.ts'

export type Success = {
  readonly status: number
  /** JSON; `undefined` for a response without a body. */
  readonly body: string | undefined
  readonly assumptions: readonly AssumptionId[]
}

export type Problem = {
  readonly problem: ProblemType
  readonly detail: string
  /** Default: the status of the problem type. */
  readonly status?: number | undefined
  readonly errors?: readonly FieldProblem[]
  readonly headers?: RawHeaders
  /** The assumptions that decided the result, besides the assumptions of the problem type. */
  readonly assumptions?: readonly AssumptionId[]
}

export type Performed = { readonly state: State; readonly result: Success | Problem }
