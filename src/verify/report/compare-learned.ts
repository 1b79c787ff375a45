import type { Entries } from '../../core/assumptions/file.ts'
import { assumptionRegistry } from '../../core/assumptions/registry.ts'
import { ruleIds, rules } from '../../core/contract/rules.ts'
import type { ServiceChange } from '../read/change.ts'
import { type Comparison, compareEntries, type RuleChange } from '../read/learned.ts'
import type { Described } from '../sources/source.ts'

export type Differences = Comparison & {
  readonly rules: readonly RuleChange[]
  readonly areDocuments: boolean
  readonly lost: readonly ServiceChange[]
  readonly onlyEarlier: readonly string[]
  readonly onlyLater: readonly string[]
}

export const compareLearned = (earlier: Described, later: Described): Differences => {
  const changed = ruleIds.flatMap((id): readonly RuleChange[] => {
    const [wasBroken, isBroken] = [earlier, later].map(({ broken }) => broken.includes(id))
    if (!wasBroken && !isBroken) return []
    return [{ id, ...rules[id], outcome: isBroken ? 'failed' : 'passed', ...(wasBroken && { wasBroken }) }]
  })
  const gone = compareEntries(withOpenPoints(later.entries), earlier.entries).newlySeen
  const areDocuments = [earlier, later].every(({ kind }) => kind === 'document')
  const [before, after] = [earlier, later].map((one) => (areDocuments ? saidIn(one) : []))
  return {
    ...compareEntries(withOpenPoints(earlier.entries), later.entries),
    rules: changed,
    areDocuments,
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

/** Adds an `unseen` entry for each point that a document leaves open. */
const withOpenPoints = (entries: Entries): Entries =>
  new Map(assumptionRegistry.map(({ id }) => [id, entries.get(id) ?? { unseen: 'not stated' }]))
