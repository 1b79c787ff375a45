import { type Change, type ChangeKey, keyOf } from '../evidence/plan.ts'
import { failedIn, isSameSet, type SuiteRun, type TestId, wholeCommand } from '../suite/observe.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import { withSuiteSession } from '../suite/suite-session.ts'
import type { TestResult } from '../suite/test-result.ts'
import { begin, openKeys, verdictsIn } from './judge.ts'
import { runChanges } from './run-changes.ts'

type SearchOptions = {
  readonly changes: readonly Change[]
  readonly noun: 'alternative' | 'mutant'
  /** Whether one failing test is enough to judge a change. Default: each test is judged. */
  readonly needsOneFailure?: boolean
  /** Whether all changes are also served at once, after each alone. Default: false. */
  readonly atOnce?: boolean
}

/**
 * Runs a test suite until each change is judged.
 * @throws PlantMockError if the suite fails without changes, or sends no request to a mock.
 */
export const searchSuite = (request: SuiteRequest, options: SearchOptions) =>
  withSuiteSession(request, options, async (session) => {
    const { first, earlier, run } = await session.first()
    const { suiteRuns } = session
    const keys = options.changes.map(keyOf)
    const begun = begin(keys, [...earlier, first], options)
    session.announce(run, openKeys(begun).length)
    const state = await runChanges(begun, { run: session.run, jobs: request.jobs ?? 1 })
    const { flaky } = state
    const verdicts = verdictsIn(state)
    const explained = new Set([...flaky, ...verdicts.flatMap(({ failing }) => failing)])
    const failAtOnce = async (): Promise<readonly TestId[]> => {
      const observation = await session.run({ keys })
      return observation === undefined ? [] : failedIn(observation).filter((test) => !explained.has(test))
    }
    const failed = options.atOnce && keys.length > 1 ? await failAtOnce() : []
    // As with single changes, only a repeated failure counts.
    const repeated = failed.length === 0 ? [] : await failAtOnce()
    const known = new Map((run.tests ?? []).map((test) => [test.id, test]))
    return {
      ...session.summary(),
      command: request.command,
      base: request.base,
      suiteRuns,
      verdicts,
      /** The tests that fail with all changes at once, and with none alone. */
      failingAtOnce: failed.filter((test) => repeated.includes(test)),
      /** Whether a JavaScript test runner was observed. */
      isObserved: run.areTimed && run.tests !== undefined,
      /** The tests of the first run. */
      tests: [...known.values()],
      isFlaky: (test: TestId): boolean => flaky.has(test),
      /** A failed test, from a run with these changes. */
      failureOf: (test: TestId, keys: readonly ChangeKey[]) =>
        runsWith(suiteRuns, keys).flatMap(({ tests = [] }) => tests.find(({ id }) => id === test) ?? [])[0],
      namedTests: (ids: readonly TestId[]): readonly TestResult[] => ids.flatMap((id) => known.get(id) ?? []),
      isHook: ({ id }: TestResult): boolean => !known.has(id),
      /** A failed run with these changes. */
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
  runs.filter((run) => isSameSet(run.keys, keys))

/** Removes `wholeCommand`, which represents unknown tests. */
export const testsIn = (ids: readonly TestId[]): readonly TestId[] => ids.filter((id) => id !== wholeCommand)
