import type { OperationId } from '../../core/assumptions/operation-ids.ts'
import type { RuleId } from '../../core/contract/rules.ts'
import type { ServiceRequest } from '../../core/model/request.ts'
import { type Step, step } from '../../core/model/step.ts'

/** The arguments of a service's step. */
export type Taken = Parameters<typeof step>

/** How a mutant differs from the service. */
export type Mutation = {
  /** Returns the request that the service then handles; the same object if nothing changes. */
  readonly request?: (request: ServiceRequest) => ServiceRequest
  /** Returns the mutant's step instead of the service's. */
  readonly step?: (step: Step, ...taken: Taken) => Step
}

/** A service that breaks one sentence of the contract. */
export type Mutant = Mutation & {
  readonly rule: RuleId
  /** The operation whose response is wrong. */
  readonly operation: OperationId
  /** The behaviour of the service, as a noun with its article. */
  readonly does: string
  /** The operation whose step differs. */
  readonly changes: OperationId
  /** Whether a client that reads only `name` and `tag` from the JSON sees no difference. */
  readonly isTolerable?: true
}

/** A step of the service under a mutant. @param plain The step without the mutant, if already computed. */
export const mutantStep = (mutant: Mutant | undefined, taken: Taken, plain?: Step): Step => {
  const [state, given, assumptions] = taken
  if (mutant === undefined || given.operation !== mutant.changes) return plain ?? step(...taken)
  const request = mutant.request?.(given) ?? given
  const after = plain !== undefined && request === given ? plain : step(state, request, assumptions)
  return mutant.step?.(after, ...taken) ?? after
}
