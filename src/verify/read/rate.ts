import type { Entry } from '../../core/assumptions/file.ts'
import { unseen } from './finding.ts'
import { minRequests } from './seen.ts'

type Limited = readonly boolean[]

/** The number of requests from one 429 to the next, if it is constant, and before the first one. */
export const steadyRate = (limited: Limited): { readonly every: number; readonly before: number } | undefined => {
  const numbers = limited.flatMap((isLimited, i) => (isLimited ? [i] : []))
  const [first = 0, second = Number.NaN] = numbers
  const every = second - first
  // The last ones show that the distance stays: a limit per time window starts again after a pause.
  const isSteady =
    every > 1 && first < every && limited.every((isLimited, i) => isLimited === ((i - first) % every === 0))
  return isSteady ? { every, before: every - 1 - first } : undefined
}

export const rateFinding = (callers: readonly Limited[], isPartial: boolean): Entry => {
  const most = Math.max(0, ...callers.map(({ length }) => length))
  const limited = callers.filter((one) => one.includes(true))
  if (limited.length === 0)
    return most < minRequests ? unseen(`only ${most} requests of one caller`) : { value: 'none', upTo: most }
  const rates = new Set(limited.map((one) => steadyRate(one)?.every))
  const [every] = rates
  if (rates.size === 1 && every !== undefined && !isPartial)
    return { value: every === 10 ? 'every-tenth' : `every:${every}` }
  const isSingle = limited.every((one) => one.filter(Boolean).length < 2)
  return isPartial || isSingle ? unseen('too few requests get 429') : { other: 'some requests get 429' }
}
