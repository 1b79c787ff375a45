import type { Entries } from '../../core/assumptions/file.ts'
import { assumptionRegistry } from '../../core/assumptions/registry.ts'
import { rules } from '../ask/rules/rules.ts'
import type { Change } from '../read/change.ts'
import { type Comparison, compareEntries, type RuleChange } from '../read/learned.ts'
import type { Described } from '../sources/source.ts'

/** The differences between two descriptions. */
export type Differences = Comparison & {
  readonly rules: readonly RuleChange[]
  /** The points that only the earlier one knows. */
  readonly lost: readonly Change[]
  /** What one of two documents says beyond the values of the mock. */
  readonly onlyEarlier: readonly string[]
  readonly onlyLater: readonly string[]
}

/** Whether two documents differ. Always false for recordings: one may show more than the other by chance. */
export const doDocumentsDiffer = (
  earlier: Described,
  later: Described,
  { newlySeen, lost, onlyEarlier, onlyLater }: Differences,
): boolean =>
  areDocuments(earlier, later) && [newlySeen, lost, onlyEarlier, onlyLater].some((found) => found.length > 0)

const areDocuments = (...sides: readonly Described[]): boolean => sides.every(({ kind }) => kind === 'document')

/** Compares two descriptions: assumptions, broken rules, and what documents say beyond the values of the mock. */
export const compareLearned = (earlier: Described, later: Described): Differences => {
  const changed = rules.flatMap(({ id, section, statement }): readonly RuleChange[] => {
    const [wasBroken, isBroken] = [earlier, later].map(({ broken }) => broken.includes(id))
    if (!wasBroken && !isBroken) return []
    return [{ id, section, statement, outcome: isBroken ? 'failed' : 'passed', ...(wasBroken && { wasBroken }) }]
  })
  const gone = compareEntries(withOpenPoints(later.entries), earlier.entries, []).newlySeen
  const [before, after] = [earlier, later].map((one) => (areDocuments(earlier, later) ? saidIn(one) : []))
  return {
    ...compareEntries(withOpenPoints(earlier.entries), later.entries, changed),
    rules: changed,
    lost: gone.map(({ id, section, is }) => ({ id, section, was: is, is: 'not known' })),
    onlyEarlier: without(before, after),
    onlyLater: without(after, before),
  }
}

const saidIn = ({ notes = [], basePath }: Described): readonly string[] => [
  ...notes.flatMap(({ kind, text }) => (kind === 'outside' ? [] : [text])),
  ...(basePath === undefined ? [] : [`The base path is ${basePath}.`]),
]

const without = (texts: readonly string[] = [], others: readonly string[] = []): readonly string[] => [
  ...new Set(texts.filter((text) => !others.includes(text))),
]

/** A document has no entry for a point that it leaves open. */
const withOpenPoints = (entries: Entries): Entries =>
  new Map(assumptionRegistry.map(({ id }) => [id, entries.get(id) ?? { unseen: 'not stated' }]))
