import type { AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'
import type { RuleId } from '../../core/contract/rules.ts'
import type { ProbeFinding } from '../read/finding.ts'
import type { TestResponse } from '../read/response.ts'
import type { RuleVerdict } from '../read/verdict.ts'
import type { Client } from './client.ts'
import type { Samples } from './sample-plants.ts'

export type CheckContext = {
  readonly client: Client
  readonly samples: Samples
  /** What earlier requests measured; `undefined` for what is read from all traffic at the end. */
  readonly findings: ReadonlyMap<AssumptionId, ProbeFinding | undefined>
  readonly first: TestResponse | undefined
}

export type Find<Value extends AssumptionValue = AssumptionValue> = (
  context: CheckContext,
) => Promise<ProbeFinding<Value>>

/**
 * Sends the requests whose responses show an assumption. Returns a finding only where it must be measured.
 * @throws InconclusiveError if nothing can be observed.
 */
export type Row = (context: CheckContext) => Promise<ProbeFinding | undefined>

export type RuleCheck = {
  /** Whether refused creates decide the rule. Refusals count only if a later valid create succeeds. */
  readonly reliesOnRefusals?: true
  readonly check: (context: CheckContext) => Promise<RuleVerdict>
}

export type RuleChecks = Readonly<Partial<Record<RuleId, RuleCheck>>>
