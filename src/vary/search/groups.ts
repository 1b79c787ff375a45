import { lifetimeKey, whole } from '../evidence/plan.ts'
import { linesByTest, type Serve, type SuiteRun, type TestId, wholeCommand } from '../suite/observe.ts'
import type { Sighting } from '../suite/read-evidence.ts'
import type { TestResult } from '../suite/test-result.ts'

/** Names a group of tests: the first lifetime that they use, their file, or `whole`. */
export type GroupId = string

/** The tests of a suite in groups that share the state of a mock. A run can serve each group a change of its own. */
export type Groups = ReturnType<typeof createGroups>

type FirstRun = Pick<SuiteRun, 'evidence' | 'tests' | 'areTimed'>

/**
 * Groups the tests that use the same lifetimes, from one reset of a mock to the next. Without numbered lifetimes, the tests
 * of a file are a group where each mock knows its test file; otherwise all tests are one.
 * @param first The run without changes.
 */
export const createGroups = (first: FirstRun, fileOf: (test: TestId) => string) => {
  const isFileKnown = knowsFiles(first)
  const lifetimes = groupsByLifetime(first, isFileKnown)
  const split = new Set([...lifetimes.keys()].map(fileOf))
  // A mock without a watcher serves the same changes to all.
  let isWhole =
    !(isFileKnown || split.size > 0) || first.evidence.sightings.some(({ lifetime }) => lifetime === undefined)

  return {
    groupOf(test: TestId): GroupId {
      if (isWhole || test === wholeCommand) return whole
      const file = fileOf(test)
      const own = split.has(file) ? lifetimes.get(test)?.[0] : undefined
      return own ?? file
    },
    /** Where tests may depend on each other although they share no mock: a file, or the whole command. */
    domainOf: (test: TestId): string => (isFileKnown && !isWhole ? fileOf(test) : whole),
    /** Whether the test's file has several groups. */
    isSplit: (test: TestId): boolean => !isWhole && split.has(fileOf(test)),
    /** A plan names a group by each of its lifetimes. */
    planOf: (serve: Serve): Serve =>
      Object.fromEntries(
        Object.entries(serve).flatMap(([group, keys]) =>
          ([...lifetimes.values()].find(([first]) => first === group) ?? [group]).map((name) => [name, keys] as const),
        ),
      ),
    /** Whether a run may leave out files. Files that use one server share its state and the numbers of its lifetimes. */
    canSelectFiles: isFileKnown,
    /**
     * Joins the groups of a test's file, or then of all files, when a test depends on another group.
     * @returns Whether a test is now in another group; `undefined` if all tests are one group already.
     */
    join(test: TestId): ((other: TestId) => boolean) | undefined {
      if (isWhole) return undefined
      const file = fileOf(test)
      if (isFileKnown && split.delete(file)) return (other) => fileOf(other) === file
      isWhole = true
      return () => true
    },
  }
}

/** Whether each mock that would show a change knows the test file that uses it. */
const knowsFiles = ({ evidence, tests = [], areTimed }: FirstRun): boolean => {
  const files = new Set(tests.map(({ file }) => file))
  return areTimed && evidence.sightings.every(({ file }) => file !== undefined && files.has(file))
}

/**
 * The lifetimes of each test's group. Lifetimes have the same numbers in each run, if no two tests that number them together
 * run at the same time.
 * @param isFileKnown Whether each file numbers its own.
 */
const groupsByLifetime = (
  { evidence, tests = [], areTimed }: FirstRun,
  isFileKnown: boolean,
): ReadonlyMap<TestId, readonly string[]> => {
  const ran = tests.filter(({ outcome }) => outcome !== 'skipped')
  const numbering = isFileKnown ? [...new Set(ran.map(({ file }) => file))] : [undefined]
  const owners = ownersOf(linesByTest(ran, evidence.sightings))
  return new Map(
    numbering.flatMap((file) => {
      const together = file === undefined ? ran : ran.filter((test) => test.file === file)
      if (!areTimed || !areApart(together)) return []
      const ids = new Set(together.map(({ id }) => id))
      const groups = joined([...owners].filter(([, [owner]]) => owner !== undefined && ids.has(owner)))
      return groups.length < 2 ? [] : groups.flatMap(({ tests, keys }) => tests.map((id) => [id, keys] as const))
    }),
  )
}

/** Times are whole milliseconds, rounded by each runner in its own way. */
const areApart = (tests: readonly TestResult[]): boolean => {
  const inOrder = tests.toSorted((a, b) => a.start - b.start)
  return inOrder.every(({ start }, index) => start + 1 >= (inOrder[index - 1]?.end ?? 0))
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
      const complete = [...ofLifetime].filter(([, own]) => own.size === all)
      return [key, (complete.length > 0 ? complete : [...ofLifetime]).map(([test]) => test)]
    }),
  )
}

type Joined = { readonly tests: readonly TestId[]; readonly keys: readonly string[] }

/** Joins lifetimes that share a test. */
const joined = (owners: readonly (readonly [string, readonly TestId[]])[]): readonly Joined[] =>
  owners.reduce<readonly Joined[]>((groups, [key, tests]) => {
    const isShared = (group: Joined): boolean => group.tests.some((test) => tests.includes(test))
    const shared = groups.filter(isShared)
    const one: Joined = {
      tests: [...new Set([...shared.flatMap((group) => group.tests), ...tests])],
      keys: [...shared.flatMap((group) => group.keys), key],
    }
    return [...groups.filter((group) => !isShared(group)), one]
  }, [])
