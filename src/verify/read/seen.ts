import type { Observed } from '../../core/assumptions/file.ts'
import { usualMaxLimit } from '../../core/assumptions/max-limit.ts'
import { baseOf, bases } from '../../core/assumptions/points.ts'
import { type AssumptionId, rowOf } from '../../core/assumptions/registry.ts'
import { areSameForms } from './failure-form.ts'
import { textOf } from './finding.ts'

/** After this many requests of `caller`, a rate limit of one in ten is certainly visible. */
export const minRequests = 20

/** What was seen of a point; `undefined` for an unseen one. */
export type SeenAt = (id: AssumptionId) => Observed | undefined

/** The value that a relative value denotes; the relative value itself if its base is unseen. */
export const resolveSeen = (id: AssumptionId, seen: Observed, at: SeenAt): Observed => {
  const base = baseOf(id, seen.value)
  const found = base && at(base)
  if (found === undefined) return seen
  const { value, other } = found
  if (seen.value !== 'same') return { other: `it responds with ${textOf(found)}` }
  return value === undefined ? { other } : { value }
}

export type Relation = 'same' | 'more' | 'less' | 'changed'

export const relate = (id: AssumptionId, was: Observed, is: Observed): Relation => {
  const byLimit = rowOf(id).unit === 'requests' ? relateRates(was, is) : relateLimits(was, is)
  if (byLimit !== undefined) return byLimit
  // In a check without creates, these points describe refused limits. In a complete check, `error.limitBody` and
  // `error.limitStatus` describe refused limits.
  if (isOfAnyFailure(id) && was.evidence !== is.evidence) return is.evidence === undefined ? 'more' : 'less'
  if (isSame(textOf(was), textOf(is))) return was.evidence !== undefined && is.evidence === undefined ? 'more' : 'same'
  if (was.evidence === is.evidence) return 'changed'
  if (is.evidence !== undefined && isPartOf(is, was)) return 'less'
  return was.evidence !== undefined && isPartOf(was, is) ? 'more' : 'changed'
}

const isOfAnyFailure = (id: AssumptionId): boolean => rowOf(id).decides.failures !== undefined && !bases.has(id)

const relateRates = (was: Observed, is: Observed): Relation | undefined => {
  const [before, now] = [rateEvidence(was), rateEvidence(is)]
  if (before < now) return 'more'
  return before > now ? 'less' : undefined
}

/** How much is known of a rate limit; `NaN` for a limit that every check can see. */
const rateEvidence = ({ value }: Observed): number => {
  if (value === 'none') return 0
  if (value === undefined) return 1
  return Number(/^every:(\d+)$/.exec(String(value))?.[1]) > minRequests ? 2 : Number.NaN
}

/** `none` observed with few plants or bytes does not contradict a larger limit. */
const relateLimits = (was: Observed, is: Observed): Relation | undefined => {
  if (was.value === 'none' && is.value === 'none') {
    // `more` only after the store has doubled, so that the file seldom changes.
    return (is.upTo ?? 0) >= 2 * (was.upTo ?? Number.POSITIVE_INFINITY) ? 'more' : 'same'
  }
  if (was.value === 'none' && was.upTo !== undefined && hiddenLimit(is) >= was.upTo) return 'more'
  return is.value === 'none' && is.upTo !== undefined && hiddenLimit(was) >= is.upTo ? 'less' : undefined
}

/** The length at which lists are truncated, or the largest body. Shorter lists or bodies do not show this limit. */
const hiddenLimit = ({ value }: Observed): number => {
  if (typeof value === 'number') return value
  return value === 'clamp' ? usualMaxLimit : Number(/^clamp:(\d+)$/.exec(String(value))?.[1])
}

/** Whether one observation is partial evidence for another: from a single caller, or from lists only. */
const isPartOf = (part: Observed, whole: Observed): boolean =>
  (part.value === 'conflict' && whole.value === 'conflict-everywhere') ||
  (part.value !== undefined && part.value === whole.nearest)

/** Delays within this factor count as equal, because a measured delay differs from run to run. */
const maxDelayFactor = 3

const delayIn = (seen: string): number => Number(/^after-ms:(\d+)$/.exec(seen)?.[1])

const isSame = (was: string, is: string): boolean => {
  if (areSameForms(was, is)) return true
  // These texts differ only in the timeout, an option.
  if ([was, is].every((text) => text.startsWith('no list shows it within'))) return true
  const ratio = delayIn(was) / delayIn(is)
  return ratio < maxDelayFactor && ratio > 1 / maxDelayFactor
}
