import { countIn } from './form.ts'
import type { Assumptions } from './registry.ts'

/** The maximum of `list.maxLimit`, and what a list with a larger limit does; `undefined` when there is no maximum. */
export type MaxLimit = { readonly kind: 'clamp' | 'reject'; readonly max: number }

/** The maximum where `list.maxLimit` names none. */
export const usualMaxLimit = 100

/** Reads a value of `list.maxLimit`. */
export const maxLimitIn = (value: Assumptions['list.maxLimit']): MaxLimit | undefined => {
  if (value === 'none') return undefined
  if (value === 'clamp' || value === 'reject') return { kind: value, max: usualMaxLimit }
  return { kind: value.startsWith('clamp') ? 'clamp' : 'reject', max: countIn(value) }
}
