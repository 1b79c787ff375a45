import { countIn } from './form.ts'
import type { Assumptions } from './registry.ts'

export const usualMaxLimit = 100

/** The maximum, and how a larger limit is handled (`list.maxLimit`); `undefined` without a maximum. */
export const maxLimitIn = (
  value: Assumptions['list.maxLimit'],
): { readonly kind: 'clamp' | 'reject'; readonly max: number } | undefined => {
  if (value === 'none') return undefined
  if (value === 'clamp' || value === 'reject') return { kind: value, max: usualMaxLimit }
  return { kind: value.startsWith('clamp') ? 'clamp' : 'reject', max: countIn(value) }
}
