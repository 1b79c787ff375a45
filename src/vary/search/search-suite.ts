import { type Change, type ChangeKey, keyOf } from '../evidence/plan.ts'
import { type SuiteRun, servedIn, type TestId, wholeCommand } from '../suite/observe.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import { withSuiteSession } from '../suite/suite-session.ts'
import type { TestResult } from '../suite/test-result.ts'
import { createGroups } from './groups.ts'
import { searchPairs } from './pairs.ts'
import { judgeTrials, type Verdict } from './trials.ts'

type SearchOptions = {
  readonly changes: readonly Change[]
  readonly noun: 'alternative' | 'mutant'
  /** Whether one failing test is enough to judge a change. Default: each test is judged. */
  readonly needsOneFailure?: boolean
  /** Whether harmless changes are also tried together. Default: false. */
  readonly pairs?: boolean
}

/**
 * Runs a test suite until each change is judged.
 * @throws PlantMockError if the suite fails without changes, or sends no request to a mock.
 */
export const searchSuite = (request: SuiteRequest, options: SearchOptions) =>
  withSuiteSession(request, options, async (session) => {
    const { first, earlier, run } = await session.first()
    const { fileOf, filesOf, suiteRuns } = session
    const groups = createGroups(run, fileOf)
    const { verdicts, flaky } = await judgeTrials({
      ...options,
      keys: options.changes.map(keyOf),
      unchanged: [...earlier, first],
      groups,
      filesOf,
      run: session.run,
      jobs: request.jobs ?? 1,
      onPlan: (exercised, further) => session.announce(run, exercised, further),
    })
    const together = options.pairs
      ? await searchPairs({
          keysOf: harmlessByGroup(verdicts, groups.groupOf),
          groupOf: groups.groupOf,
          flaky,
          run: (serve) => session.run({ serve, files: undefined }),
        })
      : []
    const known = new Map((run.tests ?? []).map((test) => [test.id, test]))
    return {
      ...session.summary(),
      command: request.command,
      base: request.base,
      suiteRuns,
      verdicts,
      together,
      /** Whether a JavaScript test runner was observed. */
      isObserved: run.areTimed && run.tests !== undefined,
      /** The tests of the first run. */
      tests: [...known.values()],
      isFlaky: (test: TestId): boolean => flaky.has(test),
      /** A failed test, from the run with these changes and the fewest further changes. */
      failureOf: (test: TestId, keys: readonly ChangeKey[]) =>
        runsWith(suiteRuns, keys).flatMap(({ tests = [] }) => tests.find(({ id }) => id === test) ?? [])[0],
      namedTests: (ids: readonly TestId[]): readonly TestResult[] => ids.flatMap((id) => known.get(id) ?? []),
      isHook: ({ id }: TestResult): boolean => !known.has(id),
      /** The failed run with these changes and the fewest further changes. */
      failedRunOf: (keys: readonly ChangeKey[], tests: readonly TestResult[]) =>
        runsWith(suiteRuns, keys).find(
          (run) => !run.passed && tests.every((test) => run.tests?.some(({ id }) => id === test.id) ?? false),
        ),
      /** How a change affected a response, preferably a response to these tests. */
      exchangeOf(key: ChangeKey, tests: readonly TestId[]) {
        const found = suiteRuns.flatMap(({ differences }) => differences.filter((one) => one.key === key))
        return (found.find(({ test }) => tests.includes(test)) ?? found[0])?.first
      },
    }
  })

export type SearchReport = Awaited<ReturnType<typeof searchSuite>>

const runsWith = (runs: readonly SuiteRun[], keys: readonly ChangeKey[]): readonly SuiteRun[] =>
  runs
    .filter(({ serve }) =>
      Object.values(serve).length === 0 ? keys.length === 0 : keys.every((key) => servedIn(serve).includes(key)),
    )
    .toSorted((a, b) => servedIn(a.serve).length - servedIn(b.serve).length)

/**
 * The changes that break no test of a group, by group. Includes changes that the group does not exercise: a second
 * change may make them visible.
 */
const harmlessByGroup = (
  verdicts: readonly Verdict[],
  groupOf: (test: TestId) => string,
): ReadonlyMap<string, readonly ChangeKey[]> => {
  const judged = verdicts.filter(({ status }) => status !== 'notJudged')
  const groups = new Set(verdicts.flatMap(({ exercisedBy }) => exercisedBy.map(groupOf)))
  const breaks = ({ failing }: Verdict, group: string): boolean =>
    failing.some((test) => test === wholeCommand || groupOf(test) === group)
  return new Map(
    [...groups].map((group) => [group, judged.filter((verdict) => !breaks(verdict, group)).map(({ key }) => key)]),
  )
}

/** Removes `wholeCommand`, which represents unknown tests. */
export const testsIn = (ids: readonly TestId[]): readonly TestId[] => ids.filter((id) => id !== wholeCommand)
