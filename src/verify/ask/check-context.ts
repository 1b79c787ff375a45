import type { Entry } from '../../core/assumptions/file.ts'
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
  readonly findings: ReadonlyMap<AssumptionId, Entry | undefined>
  readonly first: TestResponse | undefined
}

/** Measures the value of an assumption. @throws InconclusiveError if nothing can be observed. */
export type Find<Value extends AssumptionValue = AssumptionValue, Nothing = never> = (
  context: CheckContext,
) => Promise<ProbeFinding<Value> | Nothing>

/** Sends the requests that show an assumption to the reader. @throws InconclusiveError if nothing can be observed. */
export type Row = (context: CheckContext) => Promise<void>

export type RuleCheck = {
  /** Whether refused creates decide the rule. Refusals count only if a later valid create succeeds. */
  readonly reliesOnRefusals?: true
  readonly check: (context: CheckContext) => Promise<RuleVerdict>
}

export type RuleChecks = Readonly<Partial<Record<RuleId, RuleCheck>>>
