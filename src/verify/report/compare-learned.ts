import type { Entries } from '../../core/assumptions/file.ts'
import { assumptionRegistry } from '../../core/assumptions/registry.ts'
import { ruleIds, rules } from '../../core/contract/rules.ts'
import type { ServiceChange } from '../read/change.ts'
import { type Comparison, compareEntries, type RuleChange } from '../read/learned.ts'
import type { Source } from '../sources/source.ts'

export type Differences = Comparison & {
  readonly rules: readonly RuleChange[]
  readonly areDocuments: boolean
  readonly lost: readonly ServiceChange[]
  readonly onlyEarlier: readonly string[]
  readonly onlyLater: readonly string[]
}

export const compareLearned = (earlier: Source, later: Source): Differences => {
  const changed = ruleIds.flatMap((id): readonly RuleChange[] => {
    const [wasBroken, isBroken] = [earlier, later].map(({ broken }) => broken.includes(id))
    if (!wasBroken && !isBroken) return []
    return [{ id, ...rules[id], outcome: isBroken ? 'failed' : 'passed', ...(wasBroken && { wasBroken }) }]
  })
  const gone = compareEntries(withOpenPoints(later.entries), earlier.entries).newlySeen
  const areDocuments = [earlier, later].every(({ kind }) => kind === 'document')
  const before = new Set(areDocuments ? saidIn(earlier) : [])
  const after = new Set(areDocuments ? saidIn(later) : [])
  return {
    ...compareEntries(withOpenPoints(earlier.entries), later.entries),
    rules: changed,
    areDocuments,
    lost: gone.map(({ id, section, is }) => ({ id, section, was: is, is: 'not known' })),
    onlyEarlier: [...before].filter((text) => !after.has(text)),
    onlyLater: [...after].filter((text) => !before.has(text)),
  }
}

const saidIn = ({ notes, basePath }: Source): readonly string[] => [
  ...notes.flatMap(({ kind, text }) => (kind === 'outside' ? [] : [text])),
  ...(basePath === undefined ? [] : [`The base path is ${basePath}.`]),
]

const withOpenPoints = (entries: Entries): Entries =>
  new Map(assumptionRegistry.map(({ id }) => [id, entries.get(id) ?? { unseen: 'not stated' }]))
