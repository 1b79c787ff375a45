import type { OperationId } from '../../core/assumptions/operation-ids.ts'
import type { RuleId } from '../../core/contract/rules.ts'
import type { ServiceRequest } from '../../core/model/request.ts'
import { type Step, step } from '../../core/model/step.ts'

export type StepArguments = Parameters<typeof step>

export type Mutation = {
  readonly request?: (request: ServiceRequest) => ServiceRequest
  readonly step?: (step: Step, ...taken: StepArguments) => Step
}

export type Mutant = Mutation & {
  readonly rule: RuleId
  readonly does: string
  readonly operation: OperationId
  /** Set if a client that reads only `name` and `tag` of plants cannot notice the mutant. */
  readonly isTolerable?: true
}

export const mutantStep = (mutant: Mutant | undefined, taken: StepArguments, plain?: Step): Step => {
  const [state, given, assumptions] = taken
  if (mutant === undefined || given.operation !== mutant.operation) return plain ?? step(...taken)
  const request = mutant.request?.(given) ?? given
  const after = plain !== undefined && request === given ? plain : step(state, request, assumptions)
  return mutant.step?.(after, ...taken) ?? after
}
