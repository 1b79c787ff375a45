import { type ChangeKey, whole } from '../evidence/plan.ts'
import type { Observation, Serve, TestId } from '../suite/observe.ts'
import type { GroupId } from './groups.ts'

/** Changes that break tests only together. */
export type Together = { readonly keys: readonly ChangeKey[]; readonly failing: readonly TestId[] }

type PairSearch = {
  /** The changes that break no test of a group when served alone. */
  readonly keysOf: ReadonlyMap<GroupId, readonly ChangeKey[]>
  readonly groupOf: (test: TestId) => GroupId
  readonly flaky: ReadonlySet<TestId>
  /** Runs the suite; `undefined` if it was stopped. */
  readonly run: (serve: Serve) => Promise<Observation | undefined>
}

/**
 * Serves each group one change of every assumption at once, until every change was served. Reduces a failing set to a
 * minimal failing set (delta debugging).
 * @param search Runs and results of the search for single changes.
 */
export const searchPairs = async ({ keysOf, groupOf, flaky, run }: PairSearch): Promise<readonly Together[]> => {
  const found: Together[] = []
  const failingUnder = async (group: GroupId, keys: readonly ChangeKey[]): Promise<readonly TestId[]> => {
    const observation = await run({ [group]: keys })
    return observation === undefined ? [] : failingIn(observation, group)
  }
  const failingIn = ({ failed }: Observation, group: GroupId): readonly TestId[] =>
    [...failed].filter((test) => !flaky.has(test) && (group === whole || groupOf(test) === group))

  /** @param keys Changes that fail together. @returns A minimal part that still fails, with the failing tests. */
  const reduce = async (group: GroupId, keys: readonly ChangeKey[], failing: readonly TestId[]): Promise<Together> => {
    for (const part of partsOf(keys)) {
      const stillFailing = await failingUnder(group, part)
      if (stillFailing.some((test) => failing.includes(test))) return reduce(group, part, stillFailing)
    }
    return { keys, failing }
  }

  const rows = new Map([...keysOf].map(([group, keys]) => [group, rowsOf(keys)]))
  for (let index = 0; index < Math.max(0, ...[...rows.values()].map(({ length }) => length)); index++) {
    const serve: Serve = Object.fromEntries(
      [...rows].flatMap(([group, all]) => all.slice(index, index + 1).map((row) => [group, row] as const)),
    )
    const observation = await run(serve)
    if (observation === undefined) break
    for (const [group, row] of Object.entries(serve)) {
      let keys: readonly ChangeKey[] = row
      if (failingIn(observation, group).length === 0) continue
      // Reruns the row: only a repeated failure counts. Then removes one key of the found set, to find further sets.
      for (
        let failing = await failingUnder(group, keys);
        failing.length > 0;
        failing = await failingUnder(group, keys)
      ) {
        const together = await reduce(group, keys, failing)
        if (together.keys.length < 2) break
        if (!found.some((other) => other.keys.join() === together.keys.join())) found.push(together)
        keys = keys.filter((key) => key !== together.keys[0])
        if (keys.length < 2) break
      }
    }
  }
  return found
}

/** The halves of a set, then the set without one quarter, then without one member. */
const partsOf = (set: readonly ChangeKey[]): readonly (readonly ChangeKey[])[] => {
  if (set.length < 3) return []
  const chunks = (size: number): readonly (readonly ChangeKey[])[] =>
    Array.from({ length: Math.ceil(set.length / size) }, (_, index) => set.slice(index * size, (index + 1) * size))
  const without = (chunk: readonly ChangeKey[]) => set.filter((key) => !chunk.includes(key))
  const larger =
    set.length > 3 ? [...chunks(Math.ceil(set.length / 2)), ...chunks(Math.ceil(set.length / 4)).map(without)] : []
  return [...larger, ...chunks(1).map(without)]
}

/** Rows with one change of each assumption, until each change occurs in a row. Empty for fewer than two assumptions. */
const rowsOf = (keys: readonly ChangeKey[]): readonly (readonly ChangeKey[])[] => {
  const byId = new Map<string, ChangeKey[]>()
  for (const key of keys) byId.set(idIn(key), [...(byId.get(idIn(key)) ?? []), key])
  const columns = [...byId.values()]
  if (columns.length < 2) return []
  const length = Math.max(...columns.map((column) => column.length))
  return Array.from({ length }, (_, row) => columns.map((column) => column[row % column.length] as ChangeKey))
}

const idIn = (key: ChangeKey): string => key.slice(0, key.indexOf('='))
