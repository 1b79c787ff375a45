import { accessRules } from './access.ts'
import { createRules } from './creates.ts'
import { listRules } from './lists.ts'
import { robustnessRules } from './robustness.ts'
import type { Rule } from './rule.ts'

/** Every statement of the contract that a client can observe, in the order of the check. */
export const rules: readonly Rule[] = Object.entries({
  ...listRules,
  ...createRules,
  ...accessRules,
  ...robustnessRules,
}).map(([id, rule]) => ({ id, ...rule }))
