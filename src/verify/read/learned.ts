import type { AssumptionFile, Entries, Entry, Observed } from '../../core/assumptions/file.ts'
import { baseOf } from '../../core/assumptions/points.ts'
import { type AssumptionId, type AssumptionValue, assumptionRegistry } from '../../core/assumptions/registry.ts'
import type { LearningPlace } from '../../core/assumptions/resolve.ts'
import { problemTypes } from '../../core/contract/problems.ts'
import type { Rule } from '../../core/contract/rules.ts'
import { reasonPhrase } from '../../core/http/status.ts'
import { areSameForms } from './failure-form.ts'
import { type AssumptionResult, describeScope, textOf } from './finding.ts'
import { type Relation, relate, resolveSeen, type SeenAt } from './seen.ts'

export type ServiceChange = {
  readonly id: AssumptionId
  readonly section: string
  readonly was: string
  readonly is: string
  readonly value?: AssumptionValue
}

type Results = readonly AssumptionResult[]

const seenAt =
  (entries: Entries): SeenAt =>
  (id) => {
    const entry = entries.get(id)
    return entry?.unseen === undefined ? entry : undefined
  }

type Pair = { readonly old: Observed; readonly found: Observed; readonly relation: Relation }

/** `undefined` if an observation is missing, or if the later value is relative to an unseen point. */
const pairAt = (id: AssumptionId, was: SeenAt, is: SeenAt): Pair | undefined => {
  const [old, found] = [was(id), is(id)]
  if (old === undefined || found === undefined) return undefined
  const base = old.value === found.value ? baseOf(id, old.value) : undefined
  // A changed base is reported at the base. If the base was observed in part only, compares the values at this point.
  if (base !== undefined && pairAt(base, was, is)?.relation !== 'less') return undefined
  const [oldValue, foundValue] = [resolveSeen(id, old, was), resolveSeen(id, found, is)]
  const isUnknown = ({ value }: Observed): boolean => baseOf(id, value) !== undefined
  if (isUnknown(foundValue)) return undefined
  const relation = isUnknown(oldValue) ? 'more' : relate(id, oldValue, foundValue)
  return base === undefined ? { old, found, relation } : { old: oldValue, found: foundValue, relation }
}

/** The form of a body with the status that its placeholders have at that time. */
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

/** Whether only the status of a failure changed: a text such as `Bad Request` then is no `{title}` any more. */
const isSameBody = (id: AssumptionId, was: SeenAt, is: SeenAt): boolean =>
  areSameForms(formAt(id, was) ?? 'unseen', formAt(id, is) ?? '')

export type Comparison = {
  readonly changes: readonly ServiceChange[]
  /** Observations that are more precise than earlier observations, without a contradiction. */
  readonly refinements: readonly ServiceChange[]
  /** Values at points that the earlier check could not see. */
  readonly newlySeen: readonly ServiceChange[]
}

export const compareWith = (found: Results, expected: Entries): Comparison => compareEntries(expected, entriesOf(found))

/** Compares an earlier and a later assumptions file. A point that is unseen in one file is not a change. */
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

export type RuleChange = Rule & RuleState

export const isNewlyBroken = ({ outcome, wasBroken }: RuleState): boolean => outcome === 'failed' && !wasBroken

const $schema = './node_modules/plant-mock/fixtures/assumptions.schema.json'

/** The rules that a service breaks, with previously broken rules that could not be checked now. */
export const learnBroken = (results: readonly RuleState[], previous: readonly string[]): readonly string[] => {
  const checked = results.filter(({ outcome }) => outcome !== 'skipped').map(({ id }) => id)
  const broken = results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
  return [...broken, ...previous.filter((id) => !checked.includes(id))].sort()
}

/** Only a different or more precise value replaces a previous entry, so the file changes only with the service. */
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

/** Replaces a relative value by the value that it denotes, if the learned base has a different value. */
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
