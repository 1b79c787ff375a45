import { countIn } from './form.ts'
import type { Assumptions } from './registry.ts'

/** The maximum where `list.maxLimit` names none. */
export const usualMaxLimit = 100

/** The treatment of a larger limit (`list.maxLimit`); `undefined` without a maximum. */
export const maxLimitIn = (
  value: Assumptions['list.maxLimit'],
): { readonly kind: 'clamp' | 'reject'; readonly max: number } | undefined => {
  if (value === 'none') return undefined
  if (value === 'clamp' || value === 'reject') return { kind: value, max: usualMaxLimit }
  return { kind: value.startsWith('clamp') ? 'clamp' : 'reject', max: countIn(value) }
}
