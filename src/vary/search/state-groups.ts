import { lifetimeKey } from '../evidence/serve-plan.ts'
import { linesByTest, type SuiteRun, type TestId, wholeCommand } from '../suite/observe.ts'
import type { Sighting } from '../suite/read-evidence.ts'
import type { TestResult } from '../suite/test-result.ts'

/** The lifetimes that the tests of a group use; the first one names the group. */
export type StateGroup = readonly string[]

/**
 * Groups the tests that use the same state of a mock: those that share a lifetime, from one reset to the next. Lifetimes
 * have the same numbers in each run, if no two tests that number them together run at the same time.
 * @param isFileKnown Whether each file numbers its own.
 * @param minGroups How many groups of a file, or a command, are worth runs with controls.
 * @returns The group of each test in a file, or a command, with many of them.
 */
export const stateGroups = (
  { evidence, tests = [], areTimed }: Pick<SuiteRun, 'evidence' | 'tests' | 'areTimed'>,
  isFileKnown: boolean,
  minGroups = 6,
): ReadonlyMap<TestId, StateGroup> => {
  const ran = tests.filter(({ outcome }) => outcome !== 'skipped')
  const numbering = isFileKnown ? [...new Set(ran.map(({ file }) => file))] : [undefined]
  const owners = ownersOf(linesByTest(ran, evidence.sightings))
  return new Map(
    numbering.flatMap((file) => {
      const together = file === undefined ? ran : ran.filter((test) => test.file === file)
      if (!areTimed || !areApart(together)) return []
      const ids = new Set(together.map(({ id }) => id))
      const groups = merged([...owners].filter(([, [owner]]) => owner !== undefined && ids.has(owner)))
      return groups.length < minGroups
        ? []
        : groups.flatMap(({ tests, lifetimes }) => tests.map((id) => [id, lifetimes] as const))
    }),
  )
}

/** Replaces the name of a group by its lifetimes. */
export const inLifetimes = <Value>(
  byName: Readonly<Record<string, Value>>,
  groups: ReadonlyMap<TestId, StateGroup>,
): Readonly<Record<string, Value>> => {
  const byGroup = new Map([...groups.values()].map((group) => [group[0], group]))
  return Object.fromEntries(
    Object.entries(byName).flatMap(([name, value]) =>
      (byGroup.get(name) ?? [name]).map((key) => [key, value] as const),
    ),
  )
}

/** Times are whole milliseconds. */
const areApart = (tests: readonly TestResult[]): boolean => {
  const inOrder = tests.toSorted((a, b) => a.start - b.start)
  return inOrder.every(({ start }, index) => start >= (inOrder[index - 1]?.end ?? 0))
}

/**
 * The tests of each lifetime: those with all of its lines if there are any, because a line at the end of a test counts for
 * the next one too; otherwise those with some.
 */
const ownersOf = (byTest: ReadonlyMap<TestId, readonly Sighting[]>): ReadonlyMap<string, readonly TestId[]> => {
  const lines = new Map<string, Map<TestId, Set<unknown>>>()
  for (const [test, sightings] of byTest)
    for (const line of test === wholeCommand ? [] : sightings) {
      if (line.lifetime === undefined) continue
      const key = lifetimeKey(line.file, line.lifetime)
      const ofLifetime = lines.get(key) ?? new Map<TestId, Set<unknown>>()
      lines.set(key, ofLifetime.set(test, (ofLifetime.get(test) ?? new Set()).add(line)))
    }
  return new Map(
    [...lines].map(([key, ofLifetime]) => {
      const all = new Set([...ofLifetime.values()].flatMap((own) => [...own])).size
      const whole = [...ofLifetime].filter(([, own]) => own.size === all)
      return [key, (whole.length > 0 ? whole : [...ofLifetime]).map(([test]) => test)]
    }),
  )
}

type Merged = { readonly tests: readonly TestId[]; readonly lifetimes: StateGroup }

const merged = (owners: readonly (readonly [string, readonly TestId[]])[]): readonly Merged[] =>
  owners.reduce<readonly Merged[]>((groups, [lifetime, tests]) => {
    const isShared = (group: Merged): boolean => group.tests.some((test) => tests.includes(test))
    const shared = groups.filter(isShared)
    const joined: Merged = {
      tests: [...new Set([...shared.flatMap((group) => group.tests), ...tests])],
      lifetimes: [...shared.flatMap((group) => group.lifetimes), lifetime],
    }
    return [...groups.filter((group) => !isShared(group)), joined]
  }, [])
