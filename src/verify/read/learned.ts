import type { AssumptionFile, Entries, Entry, Observed } from '../../core/assumptions/file.ts'
import { baseOf, bases } from '../../core/assumptions/points.ts'
import { type AssumptionId, type AssumptionValue, assumptionRegistry, rowOf } from '../../core/assumptions/registry.ts'
import type { LearningPlace } from '../../core/assumptions/resolve.ts'
import { problemTypes } from '../../core/contract/problems.ts'
import type { Rule } from '../../core/contract/rules.ts'
import { reasonPhrase } from '../../core/http/status.ts'
import { usualMaxLimit } from '../../core/operations/limit.ts'
import { areSameForms } from './failure-form.ts'
import { type AssumptionResult, describeScope, minRequests, textOf } from './finding.ts'

export type ServiceChange = {
  readonly id: AssumptionId
  readonly section: string
  readonly was: string
  readonly is: string
  readonly value?: AssumptionValue
}

type Results = readonly AssumptionResult[]

type SeenAt = (id: AssumptionId) => Observed | undefined

const resolveSeen = (id: AssumptionId, seen: Observed, at: SeenAt): Observed => {
  const base = baseOf(id, seen.value)
  const found = base && at(base)
  if (found === undefined) return seen
  const { value, other } = found
  if (seen.value !== 'same') return { other: `it responds with ${textOf(found)}` }
  return value === undefined ? { other } : { value }
}

export type Relation = 'same' | 'more' | 'less' | 'changed'

const seenAt =
  (entries: Entries): SeenAt =>
  (id) => {
    const entry = entries.get(id)
    return entry?.unseen === undefined ? entry : undefined
  }

type Pair = { readonly old: Observed; readonly found: Observed; readonly relation: Relation }

const pairAt = (id: AssumptionId, was: SeenAt, is: SeenAt): Pair | undefined => {
  const [old, found] = [was(id), is(id)]
  if (old === undefined || found === undefined) return undefined
  const base = old.value === found.value ? baseOf(id, old.value) : undefined
  if (base !== undefined && pairAt(base, was, is)?.relation !== 'less') return undefined
  const [oldValue, foundValue] = [resolveSeen(id, old, was), resolveSeen(id, found, is)]
  const isUnknown = ({ value }: Observed): boolean => baseOf(id, value) !== undefined
  if (isUnknown(foundValue)) return undefined
  const relation = isUnknown(oldValue) ? 'more' : relate(id, oldValue, foundValue)
  return base === undefined ? { old, found, relation } : { old: oldValue, found: foundValue, relation }
}

const formAt = (id: AssumptionId, at: SeenAt): string | undefined => {
  const problem = Object.values(problemTypes).find(({ form = 'error.body', decidedBy }) => form === id && decidedBy)
  const statusId = problem?.decidedBy?.find((one) => /(?:status|other)$/i.test(one))
  const [form, status] = [id, statusId].map((one) => {
    const seen = one && at(one)
    return seen && textOf(resolveSeen(one, seen, at))
  })
  if (form === undefined || status === undefined) return undefined
  return form.replaceAll(/"\{status\}"|\{status:text\}/g, status).replaceAll('{title}', reasonPhrase(Number(status)))
}

const isSameBody = (id: AssumptionId, was: SeenAt, is: SeenAt): boolean =>
  areSameForms(formAt(id, was) ?? 'unseen', formAt(id, is) ?? '')

export type Comparison = {
  readonly changes: readonly ServiceChange[]
  readonly refinements: readonly ServiceChange[]
  readonly newlySeen: readonly ServiceChange[]
}

export const compareWith = (found: Results, expected: Entries): Comparison => compareEntries(expected, entriesOf(found))

export const compareEntries = (earlier: Entries, later: Entries): Comparison => {
  const [was, is] = [seenAt(earlier), seenAt(later)]
  const those = (relation: Relation): readonly ServiceChange[] =>
    assumptionRegistry.flatMap(({ id, section }) => {
      const pair = pairAt(id, was, is)
      if (pair?.relation !== relation || textOf(pair.old) === textOf(pair.found) || isSameBody(id, was, is)) return []
      const { old, found } = pair
      const value = found.value === undefined ? {} : { value: found.value }
      return [
        {
          id,
          section,
          was: describeScope(textOf(old), old, id),
          is: describeScope(textOf(found), found, id),
          ...value,
        },
      ]
    })
  const newlySeen = assumptionRegistry.flatMap(({ id, section }): readonly ServiceChange[] => {
    const found = is(id)
    const wasUnseen = earlier.has(id) && was(id) === undefined
    if (!wasUnseen || found?.value === undefined) return []
    return [{ id, section, was: 'not seen', is: describeScope(textOf(found), found, id), value: found.value }]
  })
  return { changes: those('changed'), refinements: those('more'), newlySeen }
}

export type RuleState = {
  readonly id: string
  readonly outcome: string
  readonly wasBroken?: true
}

export type RuleChange = Rule & RuleState & { readonly reason?: string; readonly curl?: string }

export const isNewlyBroken = ({ outcome, wasBroken }: RuleState): boolean => outcome === 'failed' && !wasBroken

const $schema = './node_modules/plant-mock/fixtures/assumptions.schema.json'

export const learnBroken = (results: readonly RuleState[], previous: readonly string[]): readonly string[] => {
  const checked = results.filter(({ outcome }) => outcome !== 'skipped').map(({ id }) => id)
  const broken = results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
  return [...broken, ...previous.filter((id) => !checked.includes(id))].sort()
}

/** Keeps previous entries unless the value differs or is more precise: the file should change only with the service. */
export const learn = (results: Results, previous: Entries, observed: LearningPlace): AssumptionFile => {
  const found = entriesOf(results, observed)
  const [was, is] = [seenAt(previous), seenAt(found)]
  const learned = new Map(
    assumptionRegistry.flatMap(({ id }): (readonly [AssumptionId, Entry])[] => {
      const [latest, entry] = [found.get(id), previous.get(id)]
      const relation = pairAt(id, was, is)?.relation
      const isComparable = was(id) === undefined ? is(id) !== undefined : relation !== undefined
      const isKept = entry !== undefined && (!isComparable || relation === 'same' || relation === 'less')
      const learnt = isKept ? entry : latest
      return learnt === undefined ? [] : [[id, learnt]]
    }),
  )
  const entries = [...learned].map(([id, entry]) => {
    const isOld = entry === previous.get(id)
    const isRelativeStill = isOld && was(id)?.value === is(id)?.value
    return [id, isRelativeStill ? entry : keepMeaning(id, entry, isOld ? previous : found, learned)] as const
  })
  return assumptionFile(entries)
}

export const assumptionFile = (entries: Iterable<readonly [AssumptionId, Entry]>): AssumptionFile => ({
  $schema,
  assumptions: Object.fromEntries(entries),
})

const keepMeaning = (id: AssumptionId, entry: Entry, observations: Entries, learned: Entries): Entry => {
  if (entry.unseen !== undefined) return entry
  const [meant, kept] = [resolveSeen(id, entry, seenAt(observations)), resolveSeen(id, entry, seenAt(learned))]
  if (relate(id, meant, kept) !== 'changed') return entry
  return { ...meant, ...(entry.observed && { observed: entry.observed }) }
}

const entriesOf = (results: Results, observed?: LearningPlace): Entries =>
  new Map(results.map((result) => [result.id, entryIn(result, observed)]))

const entryIn = (result: AssumptionResult, observed: LearningPlace | undefined): Entry => {
  if (result.outcome === 'unseen') return { unseen: result.reason }
  const { id, section, question, assumed, outcome, found, ...scope } = result
  const content = outcome === 'other' ? { other: found } : { value: found }
  return { ...content, ...scope, ...(observed && { observed }) }
}

export const relate = (id: AssumptionId, was: Observed, is: Observed): Relation => {
  const byLimit = rowOf(id).unit === 'requests' ? relateRates(was, is) : relateLimits(was, is)
  if (byLimit !== undefined) return byLimit
  // Evidence from refused lists (a check without creates) is less precise than evidence from refused creates.
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

/** Ranks findings: no limit, a limit of unknown size, a limit that short recordings do not reach. `NaN`: others. */
const rateEvidence = ({ value }: Observed): number => {
  if (value === 'none') return 0
  if (value === undefined) return 1
  return Number(/^every:(\d+)$/.exec(String(value))?.[1]) > minRequests ? 2 : Number.NaN
}

/** The value `none` (no limit) may come from few plants or small bodies. It then contradicts no larger limit. */
const relateLimits = (was: Observed, is: Observed): Relation | undefined => {
  if (was.value === 'none' && is.value === 'none') {
    // Counts as more precise only if the largest seen size doubled, because the learned file should seldom change.
    return (is.upTo ?? 0) >= 2 * (was.upTo ?? Number.POSITIVE_INFINITY) ? 'more' : 'same'
  }
  if (was.value === 'none' && was.upTo !== undefined && hiddenLimit(is) >= was.upTo) return 'more'
  return is.value === 'none' && is.upTo !== undefined && hiddenLimit(was) >= is.upTo ? 'less' : undefined
}

const hiddenLimit = ({ value }: Observed): number => {
  if (typeof value === 'number') return value
  return value === 'clamp' ? usualMaxLimit : Number(/^clamp:(\d+)$/.exec(String(value))?.[1])
}

const isPartOf = (part: Observed, whole: Observed): boolean =>
  (part.value === 'conflict' && whole.value === 'conflict-everywhere') ||
  (part.value !== undefined && part.value === whole.nearest)

/** A measured delay varies from run to run: delays within this factor count as equal. */
const maxDelayFactor = 3

const delayIn = (seen: string): number => Number(/^after-ms:(\d+)$/.exec(seen)?.[1])

const isSame = (was: string, is: string): boolean => {
  if (areSameForms(was, is)) return true
  // These texts may differ in the timeout, which is an option of the check.
  if ([was, is].every((text) => text.startsWith('no list shows a created plant within'))) return true
  const ratio = delayIn(was) / delayIn(is)
  return ratio < maxDelayFactor && ratio > 1 / maxDelayFactor
}
