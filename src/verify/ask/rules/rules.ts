import type { RuleId } from '../../../core/contract/rules.ts'
import type { RuleCheck } from '../check-context.ts'
import { accessChecks } from './access.ts'
import { createChecks } from './creates.ts'
import { listChecks } from './lists.ts'
import { robustnessChecks } from './robustness.ts'

export const ruleChecks: Readonly<Record<RuleId, RuleCheck>> = {
  ...listChecks,
  ...createChecks,
  ...accessChecks,
  ...robustnessChecks,
}
