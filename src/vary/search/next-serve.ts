import { type ChangeKey, whole } from '../evidence/plan.ts'
import type { Serve } from '../suite/observe.ts'
import type { GroupId } from './groups.ts'

/** A change that still has to be tried with a group of tests. */
export type OpenTrial = {
  readonly key: ChangeKey
  readonly group: GroupId
  /** Whether a test of the group has already failed with the change. */
  readonly hasFailed: boolean
}

const keysByGroup = (open: readonly OpenTrial[]): ReadonlyMap<GroupId, readonly ChangeKey[]> => {
  const byGroup = new Map<GroupId, ChangeKey[]>()
  for (const { key, group } of open) byGroup.set(group, [...(byGroup.get(group) ?? []), key])
  return byGroup
}

const longest = (keys: Iterable<readonly ChangeKey[]>): number => Math.max(0, ...[...keys].map(({ length }) => length))

/** How many runs the open trials need: one per change of the whole command and of the busiest group. */
export const runsFor = (open: readonly OpenTrial[]): number => {
  const ofCommand = open.flatMap(({ group, key }) => (group === whole ? [key] : []))
  const others = open.filter(({ key }) => !ofCommand.includes(key))
  return ofCommand.length + longest(keysByGroup(others).values())
}

/**
 * Chooses the changes of the next run: one change for the whole command; or else a change that has failed, alone; or
 * else one change for each of the busiest groups, the same change for as many groups as possible.
 * @param meeting Returns the groups that exercise a change.
 */
export const nextServe = (open: readonly OpenTrial[], meeting: (key: ChangeKey) => readonly GroupId[]): Serve => {
  const ofCommand = open.find(({ group }) => group === whole)
  if (ofCommand !== undefined) return { [whole]: [ofCommand.key] }
  const failed = open.find(({ hasFailed }) => hasFailed)
  if (failed !== undefined) return Object.fromEntries(meeting(failed.key).map((group) => [group, [failed.key]]))
  const needed = new Map(keysByGroup(open))
  const most = longest(needed.values())
  const serve: Record<GroupId, readonly ChangeKey[]> = {}
  for (;;) {
    const busiest = [...needed.values()].filter(({ length }) => length === most)
    if (most === 0 || busiest.length === 0) return serve
    const inBusiest = countOf(busiest)
    const inAll = countOf(needed.values())
    const rankOf = (key: ChangeKey): number => (inBusiest.get(key) ?? 0) * (open.length + 1) + (inAll.get(key) ?? 0)
    const best = [...inBusiest.keys()].reduce((best, key) => (rankOf(key) > rankOf(best) ? key : best))
    for (const [group, keys] of [...needed]) {
      if (!keys.includes(best)) continue
      serve[group] = [best]
      needed.delete(group)
    }
  }
}

/** How many of the groups need each change. */
const countOf = (groups: Iterable<readonly ChangeKey[]>): ReadonlyMap<ChangeKey, number> => {
  const counts = new Map<ChangeKey, number>()
  for (const key of [...groups].flat()) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
