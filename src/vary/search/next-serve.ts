import { type ChangeKey, whole } from '../evidence/plan.ts'
import type { Serve } from '../suite/observe.ts'
import type { GroupId } from './groups.ts'

/** A change that a group of tests still needs. */
export type OpenTrial = {
  readonly key: ChangeKey
  readonly group: GroupId
  /** Where tests of other groups may be the reason for a failure. */
  readonly domain: string
  /** The runs in which tests of the group have failed with the change. */
  readonly failedIn: readonly Serve[]
}

/** The changes that each group still needs. */
const keysByGroup = (open: readonly OpenTrial[]): ReadonlyMap<GroupId, readonly ChangeKey[]> => {
  const byGroup = new Map<GroupId, ChangeKey[]>()
  for (const { key, group } of open) byGroup.set(group, [...(byGroup.get(group) ?? []), key])
  return byGroup
}

/** How many runs the open questions take: what the whole command needs, then the busiest group. */
export const runsFor = (open: readonly OpenTrial[]): number => {
  const byGroup = keysByGroup(open)
  const ofCommand = byGroup.get(whole) ?? []
  const others = [...byGroup].filter(([group]) => group !== whole)
  return (
    ofCommand.length + Math.max(0, ...others.map(([, keys]) => keys.filter((key) => !ofCommand.includes(key)).length))
  )
}

/**
 * One change for the whole command, or else one for each group. A failure is repeated beside other changes than before.
 * Groups with few choices choose first, and prefer a change that no other group gets, and that few need.
 */
export const nextServe = (open: readonly OpenTrial[]): Serve => {
  const ofCommand = open.find(({ group }) => group === whole)
  if (ofCommand !== undefined) return { [whole]: [ofCommand.key] }
  const serve: Record<GroupId, readonly ChangeKey[]> = {}
  const chosen: OpenTrial[] = []
  const needs = new Map<ChangeKey, number>()
  for (const { key } of open) needs.set(key, (needs.get(key) ?? 0) + 1)
  const rankOf = ({ key }: OpenTrial): number =>
    chosen.filter((other) => other.key === key).length * (open.length + 1) + (needs.get(key) ?? 0)
  const stoodBeside = (failure: OpenTrial, { group, key, domain }: OpenTrial): boolean =>
    domain === failure.domain && failure.failedIn.some((serve) => serve[group]?.includes(key) ?? false)
  const fits = (trial: OpenTrial): boolean =>
    !chosen.some((other) => stoodBeside(trial, other) || stoodBeside(other, trial))
  const repeated = open.filter(({ failedIn }) => failedIn.length > 0)
  for (const trials of [repeated, open])
    for (const [group] of [...keysByGroup(trials)].toSorted(([, a], [, b]) => a.length - b.length)) {
      if (serve[group] !== undefined) continue
      const choices = trials.filter((trial) => trial.group === group && fits(trial))
      if (choices.length === 0) continue
      const best = choices.reduce((best, one) => (rankOf(one) < rankOf(best) ? one : best))
      serve[group] = [best.key]
      chosen.push(best)
    }
  return serve
}
