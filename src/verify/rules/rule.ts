import type { CheckContext } from '../sample-plants.ts'
import type { Verdict } from '../verdict.ts'

/** A statement of the contract that every service must keep, or advice. */
export type Rule = {
  readonly id: string
  /** The sections of the contract that state it; empty for advice. */
  readonly section: string
  readonly statement: string
  /** Whether the rule is checked again at the end, because it may be broken after a while. */
  readonly isRepeated?: true
  /** Whether users expect it of any service, but the contract does not state it. */
  readonly isAdvice?: true
  /** Whether refused creates show that it is kept, which they do only if a later valid create succeeds. */
  readonly reliesOnRefusals?: true
  /** @throws InconclusiveError when the rule cannot be checked. */
  readonly check: (context: CheckContext) => Promise<Verdict>
}

/** Rules by id, in the order of the check. */
export type Rules = Readonly<Record<string, Omit<Rule, 'id'>>>
