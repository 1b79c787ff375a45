import type { Assumption, AssumptionValue } from '../core/assumptions/registry.ts'
import type { Finding, Scope } from './finding.ts'
import type { Rule } from './rules/rule.ts'
import type { Verdict } from './verdict.ts'

export type RuleResult = Pick<Rule, 'id' | 'section' | 'statement'> & Verdict

export type AssumptionResult = Pick<Assumption, 'id' | 'section' | 'question'> & {
  readonly assumed: AssumptionValue
} & (
    | ({ readonly outcome: 'agrees' | 'differs'; readonly found: AssumptionValue } & Scope)
    /** The service does something that is none of the values in the registry. */
    | ({ readonly outcome: 'other'; readonly found: string } & Pick<Scope, 'evidence'>)
    | { readonly outcome: 'unseen'; readonly reason: string }
  )

/** Compares the finding of a probe with the assumed value. */
export const assumptionResult = (
  assumption: Assumption,
  assumed: AssumptionValue,
  finding: Finding,
): AssumptionResult => {
  const { id, section, question } = assumption
  const row = { id, section, question, assumed }
  if (typeof finding !== 'object') return assumptionResult(assumption, assumed, { value: finding })
  if ('unseen' in finding) return { ...row, outcome: 'unseen', reason: finding.unseen }
  if ('other' in finding) {
    const { other: found, ...scope } = finding
    return { ...row, outcome: 'other', found, ...scope }
  }
  const { value: found, ...scope } = finding
  return { ...row, outcome: found === assumed ? 'agrees' : 'differs', found, ...scope }
}
