import type { Entries, Learned } from '../../core/assumptions/file.ts'
import { assumptionRegistry } from '../../core/assumptions/registry.ts'
import { rules } from '../ask/rules/rules.ts'
import { type Comparison, compareEntries, type RuleChange } from '../read/learned.ts'

/** Compares an earlier and a later file of `--learn`: assumptions, and the rules that one of them lists as broken. */
export const compareLearned = (
  earlier: Learned,
  later: Learned,
): Comparison & { readonly rules: readonly RuleChange[] } => {
  const changed = rules.flatMap(({ id, section, statement }): readonly RuleChange[] => {
    const [wasBroken, isBroken] = [earlier, later].map(({ broken }) => broken.includes(id))
    if (!wasBroken && !isBroken) return []
    return [{ id, section, statement, outcome: isBroken ? 'failed' : 'passed', ...(wasBroken && { wasBroken }) }]
  })
  return { ...compareEntries(withOpenPoints(earlier.entries), later.entries, changed), rules: changed }
}

/** A document has no entry for a point that it leaves open. */
const withOpenPoints = (entries: Entries): Entries =>
  new Map(assumptionRegistry.map(({ id }) => [id, entries.get(id) ?? { unseen: 'not stated' }]))
