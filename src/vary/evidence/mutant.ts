import type { OperationId } from '../../core/contract/operation-ids.ts'
import type { ServiceRequest } from '../../core/model/request.ts'
import { type Step, step } from '../../core/model/step.ts'
import type { RuleId } from '../../verify/ask/rules/rules.ts'

/** What a service takes. */
export type Taken = Parameters<typeof step>

/** Where a mutant differs from the service. */
export type Change = {
  /** The request as the service takes it; the same one if nothing in it changes. */
  readonly request?: (request: ServiceRequest) => ServiceRequest
  /** The step as the mutant takes it instead. */
  readonly step?: (step: Step, ...taken: Taken) => Step
}

/** A service that breaks one sentence of the contract. */
export type Mutant = Change & {
  /** The rule of `verify` with the sentence. */
  readonly rule: RuleId
  /** The operation whose response is wrong. */
  readonly operation: OperationId
  /** The behaviour of the service, as a noun with its article. */
  readonly does: string
  /** The operation whose step is another. */
  readonly changes: OperationId
  /** Whether a client that reads `name` and `tag` from the JSON, and ignores the rest, behaves as with the service. */
  readonly isTolerable?: true
}

/** A step of the service under a mutant. @param plain Without the mutant, if it is known. */
export const mutantStep = (mutant: Mutant | undefined, taken: Taken, plain?: Step): Step => {
  const [state, given, assumptions] = taken
  if (mutant === undefined || given.operation !== mutant.changes) return plain ?? step(...taken)
  const request = mutant.request?.(given) ?? given
  const after = plain !== undefined && request === given ? plain : step(state, request, assumptions)
  return mutant.step?.(after, ...taken) ?? after
}
