import type { AssumptionFile, Entries, Entry } from '../assumptions/file.ts'
import { type AssumptionId, assumptionRegistry } from '../assumptions/registry.ts'
import type { Observation } from '../assumptions/resolve.ts'
import type { AssumptionResult } from './results.ts'
import { baseOf, describeSeen, type Relation, relate, resolveSeen, type Seen, seenBefore, seenIn } from './seen.ts'

/** An assumption whose observed behaviour differs from what a file expects. */
export type Change = {
  readonly id: AssumptionId
  readonly section: string
  /** A value, or behaviour in words. */
  readonly was: string
  readonly is: string
}

type Results = readonly AssumptionResult[]

/** The observation at each point, by its id. */
type SeenAt = (id: AssumptionId) => Seen | undefined

const before =
  (entries: Entries): SeenAt =>
  (id) =>
    seenBefore(id, entries.get(id))

const now = (results: Results): SeenAt => {
  const found = new Map(results.map((result) => [result.id, result]))
  return (id) => seenIn(found.get(id))
}

/** The observation at a point, with a relative value replaced by the one of its base. */
const resolvedAt = (id: AssumptionId, at: SeenAt): Seen | undefined => {
  const seen = at(id)
  const base = seen && baseOf(id, seen)
  return base === undefined || seen === undefined ? seen : resolveSeen(id, seen, at(base))
}

/** How a point relates to what was seen before; `undefined` when either is unseen. */
const relationAt = (id: AssumptionId, was: SeenAt, is: SeenAt): Relation | undefined => {
  const [old, found] = [was(id), is(id)]
  if (old === undefined || found === undefined) return undefined
  // The base has changed then, and is reported.
  if (baseOf(id, old) !== undefined && old.value === found.value) return 'same'
  const [oldValue, foundValue] = [resolvedAt(id, was), resolvedAt(id, is)]
  if (oldValue === undefined || foundValue === undefined) return undefined
  const isUnknown = [oldValue, foundValue].some((seen) => baseOf(id, seen) !== undefined)
  return isUnknown ? undefined : relate(id, oldValue, foundValue)
}

/** Compares results with an assumptions file. What either did not see is no change. */
export const compareWith = (
  results: Results,
  expected: Entries,
): { readonly changes: readonly Change[]; readonly refinements: readonly Change[] } => {
  const [was, is] = [before(expected), now(results)]
  const those = (relation: Relation): readonly Change[] =>
    results.flatMap(({ id, section }) => {
      const [old, found] = [was(id), is(id)]
      if (old === undefined || found === undefined || relationAt(id, was, is) !== relation) return []
      // The same value from more evidence is no news.
      if (old.text === found.text) return []
      return [{ id, section, was: describeSeen(old), is: describeSeen(found) }]
    })
  return { changes: those('changed'), refinements: those('more') }
}

const $schema = './node_modules/plant-mock/fixtures/assumptions.schema.json'

/**
 * The assumptions file of a service: what was seen, also behaviour that is no value, and why the rest was not. An entry
 * of the previous file stays as it is unless something else or more was seen, so that the file changes only with the
 * service.
 */
export const learn = (results: Results, previous: Entries, observed: Observation): AssumptionFile => {
  const found = new Map(results.map((result) => [result.id, result]))
  const [was, is] = [before(previous), now(results)]
  const learned = new Map(
    assumptionRegistry.flatMap(({ id }): (readonly [AssumptionId, Entry])[] => {
      const [result, entry] = [found.get(id), previous.get(id)]
      const relation = relationAt(id, was, is)
      const isComparable = was(id) === undefined ? is(id) !== undefined : relation !== undefined
      if (entry !== undefined && (!isComparable || relation === 'same' || relation === 'less')) return [[id, entry]]
      return result === undefined ? [] : [[id, entryOf(result, observed)]]
    }),
  )
  const isRelativeStill = (id: AssumptionId) => was(id)?.value === is(id)?.value
  const entries = [...learned].map(
    ([id, entry]) => [id, isRelativeStill(id) ? entry : keepMeaning(id, entry, previous, learned)] as const,
  )
  return { $schema, assumptions: Object.fromEntries(entries) }
}

/** Writes a kept relative value as what it stands for, where its base stands for something else now. */
const keepMeaning = (id: AssumptionId, entry: Entry, previous: Entries, learned: Entries): Entry => {
  if (entry !== previous.get(id)) return entry
  const [old, kept] = [resolvedAt(id, before(previous)), resolvedAt(id, before(learned))]
  if (old === undefined || kept === undefined || relate(id, old, kept) !== 'changed') return entry
  const { value, text } = old
  const observed = 'observed' in entry && entry.observed !== undefined ? { observed: entry.observed } : {}
  return value === undefined ? { other: text, ...observed } : { value, ...observed }
}

const entryOf = (result: AssumptionResult, observed: Observation): Entry => {
  if (result.outcome === 'unseen') return { unseen: result.reason }
  const { outcome, found, evidence } = result
  const scope = { ...(evidence !== undefined && { evidence }), observed }
  if (outcome === 'other') return { other: found, ...scope }
  return { value: found, ...(result.upTo !== undefined && { upTo: result.upTo }), ...scope }
}
