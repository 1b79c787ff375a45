import { begin, nextRuns, type State, verdictsIn } from '../../../src/vary/search/judge.ts'
import { runChanges } from '../../../src/vary/search/run-changes.ts'
import { failedIn, type Observation, type PlannedRun, wholeCommand } from '../../../src/vary/suite/observe.ts'
import type { TestOutcome } from '../../../src/vary/suite/test-result.ts'

/** How a test behaves with a change. `hides`: it passes, but no response shows the change. */
export type Behaviour = 'passes' | 'fails' | 'skips' | 'hides'

/** The changes that each test meets, by its name. Tests run one after another. */
export type SimulatedSuite = Readonly<Record<string, Readonly<Record<string, Behaviour>>>>

export type Simulation = {
  readonly keys: readonly string[]
  readonly tests: SimulatedSuite
  /** Whether the runner stops at the first failure. Default: false. */
  readonly bails?: boolean
  /** Whether a test fails in a run for no reason of its own. @param run From 1 on, after the first run. */
  readonly flakes?: (test: string, run: number, key: string | undefined) => boolean
  /** How the tests and the command of a run end. Default: as the tests behave. */
  readonly end?: (key: string | undefined, run: number) => Readonly<Record<string, TestOutcome>> | undefined
  /** How many runs take place before the search is stopped. Default: all. */
  readonly stopsAfter?: number
}

/** The first run is run 0. */
export const simulate = (simulation: Simulation, key: string | undefined, run: number): Observation => {
  const { keys, tests, bails = false, flakes, end } = simulation
  const ends = new Map<string, TestOutcome>()
  const visible = new Map<string, ReadonlySet<string>>()
  let failed = false
  for (const [test, meets] of Object.entries(tests)) {
    if (failed && bails) break
    const behaviour = key === undefined ? undefined : meets[key]
    const fails = behaviour === 'fails' || (run > 0 && flakes?.(test, run, key) === true)
    failed ||= fails
    ends.set(test, fails ? 'failed' : behaviour === 'skips' ? 'skipped' : 'passed')
    const shown = key === undefined ? keys.filter((key) => key in meets) : behaviour === 'hides' ? [] : [key]
    visible.set(test, new Set(shown.filter((key) => key in meets)))
  }
  if (!failed) ends.set(wholeCommand, 'passed')
  const other = run === 0 ? undefined : end?.(key, run)
  return { keys: key === undefined ? [] : [key], ends: other ? new Map(Object.entries(other)) : ends, visible }
}

/** Judges the changes of a simulated suite. */
export const judgeSuite = async (simulation: Simulation, { jobs = 1, needsOneFailure = false } = {}) => {
  const begun: State = begin(simulation.keys, [simulate(simulation, undefined, 0)], needsOneFailure)
  const runs: Observation[] = []
  const run = async ({ keys: [key] }: PlannedRun): Promise<Observation | undefined> => {
    if (runs.length >= (simulation.stopsAfter ?? Number.POSITIVE_INFINITY)) return undefined
    runs.push(simulate(simulation, key, runs.length + 1))
    return runs.at(-1)
  }
  const state = await runChanges(begun, run, jobs)
  const verdicts = verdictsIn(state)
  return {
    verdicts,
    statuses: verdicts.map(({ status, reason }) => reason ?? status),
    failing: verdicts.map(({ failing }) => [...failing].sort()),
    flaky: [...state.flaky],
    runs,
    /** The change of each run; empty for a run without a change. */
    served: runs.map(({ keys }) => keys.join()),
    isComplete: nextRuns(state, 1).length === 0,
  }
}

/** The verdicts that follow from all runs, by definition. */
export const failingByDefinition = (runs: readonly Observation[], key: string): readonly string[] => {
  const runsWith = (key: string) => runs.filter(({ keys }) => keys[0] === key)
  const changes = [...new Set(runs.flatMap(({ keys }) => keys))]
  const failures = (test: string, key: string): number =>
    runsWith(key).filter((run) => failedIn(run).includes(test)).length
  const hasPassed = (test: string, key: string): boolean =>
    runsWith(key).some(({ ends }) => ends.get(test) === 'passed')
  const isFlaky = (test: string): boolean =>
    runs.some((run) => run.keys.length === 0 && failedIn(run).includes(test)) ||
    changes.some((key) => failures(test, key) > 0 && hasPassed(test, key))
  const isReliable = (test: string): boolean => changes.filter((key) => failures(test, key) > 1).length > 3
  return [...new Set(runs.flatMap(failedIn))]
    .filter((test) => !isFlaky(test) && failures(test, key) > (isReliable(test) ? 0 : 1))
    .sort()
}
