import type { Rule } from '../check-context.ts'
import { accessRules } from './access.ts'
import { createRules } from './creates.ts'
import { listRules } from './lists.ts'
import { robustnessRules } from './robustness.ts'

const table = { ...listRules, ...createRules, ...accessRules, ...robustnessRules }

export type RuleId = keyof typeof table

/** Every statement of the contract that a client can observe, in the order of the check. */
export const rules: readonly Rule[] = Object.entries<Omit<Rule, 'id'>>(table).map(([id, rule]) => ({ id, ...rule }))
