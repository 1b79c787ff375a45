import { type ChangeKey, keyOf, type TestId } from '../evidence/plan.ts'
import { failedIn, type Observation, observe, type PlannedRun, type SuiteRun, wholeCommand } from '../suite/observe.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import { type SessionOptions, withSuiteSession } from '../suite/suite-session.ts'
import type { TestResult } from '../suite/test-result.ts'
import { begin, judge, leftFailing, openKeys, verdictsIn } from './judge.ts'
import { planRepeats, repeatTests } from './repeat-tests.ts'
import { runChanges } from './run-changes.ts'

type SearchOptions = SessionOptions & {
  readonly needsOneFailure?: boolean
  readonly atOnce?: boolean
}

/** @throws SuiteError if the suite fails without changes, or sends no request to a mock. */
export const searchSuite = (request: SuiteRequest, options: SearchOptions) =>
  withSuiteSession(request, options, async (session) => {
    const { unchanged, run: first } = await session.first()
    const run = async (planned: PlannedRun): Promise<Observation | undefined> => {
      const done = await session.run(planned)
      return done && observe(done)
    }
    const { suiteRuns } = session
    const keys = options.changes.map(keyOf)
    const begun = begin(keys, unchanged, options.needsOneFailure)
    const repeats = planRepeats(begun, first)
    const repeatedKeys = new Set(Object.values(repeats).flat())
    const exercising = new Set([...begun.exercisedBy.values()].flat())
    session.announce(first, openKeys(begun).length, repeatedKeys.size, exercising)
    const jobs = request.jobs ?? 1
    let state = await runChanges(await repeatTests(session, begun, first, repeats), run, jobs)
    // If tests have changed files, runs the suite once more without a change, because such files may break it.
    if (state.unchanged.length === 1 && (await session.changedFiles()).length > 0) {
      const last = await run({ keys: [] })
      if (last !== undefined) state = await runChanges(judge(state, last), run, jobs)
    }
    await session.refuseLeftovers(leftFailing(state))
    const { flaky } = state
    const verdicts = verdictsIn(state)
    const explained = new Set([...flaky, ...verdicts.flatMap(({ failing }) => failing)])
    const failAtOnce = async (): Promise<readonly TestId[]> => {
      const observation = await run({ keys })
      return observation === undefined ? [] : failedIn(observation).filter((test) => !explained.has(test))
    }
    const failed = options.atOnce && keys.length > 1 ? await failAtOnce() : []
    const repeated = failed.length === 0 ? [] : await failAtOnce()
    const known = new Map((first.tests ?? []).map((test) => [test.id, test]))
    return {
      ...session.summary(),
      command: request.command,
      base: request.base,
      suiteRuns,
      verdicts,
      failingAtOnce: failed.filter((test) => repeated.includes(test)),
      mocks: {
        inTests: first.evidence.sightings.some(({ pid }) => pid !== process.pid),
        served: first.evidence.sightings.some(({ pid }) => pid === process.pid),
      },
      tests: [...known.values()],
      flaky: failuresIn(suiteRuns, [...flaky]),
      isCommandFlaky: flaky.has(wholeCommand),
      failuresOf: (tests: readonly TestId[], keys: readonly ChangeKey[]) =>
        failuresIn(runsWith(suiteRuns, keys), tests),
      namedTests: (ids: readonly TestId[]): readonly TestResult[] => ids.flatMap((id) => known.get(id) ?? []),
      isHook: ({ id }: TestResult): boolean => !known.has(id),
      failedRunOf: (
        keys: readonly ChangeKey[],
        tests: readonly TestResult[],
      ): Pick<SuiteRun, 'outcome' | 'output'> | undefined =>
        runsWith(suiteRuns, keys).find(
          (run) => !run.passed && tests.every((test) => run.tests?.some(({ id }) => id === test.id) ?? false),
        ),
      exchangeOf(key: ChangeKey, tests: readonly TestId[]) {
        const found = suiteRuns.flatMap(({ differences }) => [...(differences.get(key) ?? [])])
        return (found.find(([test]) => tests.includes(test)) ?? found[0])?.[1]
      },
    }
  })

const runsWith = (runs: readonly SuiteRun[], keys: readonly ChangeKey[]): readonly SuiteRun[] =>
  runs.filter((run) => run.keys.join() === keys.join())

const failuresIn = (runs: readonly SuiteRun[], ids: readonly TestId[]): readonly TestResult[] => {
  const failures = runs.flatMap(({ tests = [] }) => tests)
  return ids.flatMap((test) => failures.find(({ id }) => id === test) ?? [])
}
