import {
  begin,
  leftFailing,
  nextRuns,
  type RepetitionOutcomes,
  type State,
  verdictsIn,
} from '../../../src/vary/search/judge.ts'
import { runChanges } from '../../../src/vary/search/run-changes.ts'
import { type End, failedIn, type Observation, type PlannedRun, wholeCommand } from '../../../src/vary/suite/observe.ts'

/** `hides`: passes, but sees no change. `depends`: fails because of another test. `dies`: its process is killed. */
export type Behaviour = 'passes' | 'fails' | 'skips' | 'hides' | 'depends' | 'dies'

export type SimulatedSuite = Readonly<Record<string, Readonly<Record<string, Behaviour>>>>

export type Simulation = {
  readonly keys: readonly string[]
  readonly tests: SimulatedSuite
  readonly bails?: boolean
  /** A failure kills the remaining tests instead of skipping them. */
  readonly kills?: boolean
  readonly rotates?: boolean
  /** Changes under which the command fails although its tests pass. */
  readonly unexplained?: readonly string[]
  /** Decides whether a test fails independently of the change; the first run never flakes. */
  readonly flakes?: (test: string, run: number, key: string | undefined) => boolean
  readonly end?: (key: string | undefined, run: number) => Readonly<Record<string, End>> | undefined
  readonly stopsAfter?: number
}

const outcomes: Readonly<Partial<Record<Behaviour, End>>> = {
  fails: 'failed',
  depends: 'failed',
  skips: 'skipped',
  dies: 'unended',
}

export const simulate = (simulation: Simulation, key: string | undefined, run: number): Observation => {
  const { keys, tests, bails = false, kills = false, rotates = false, unexplained = [], flakes, end } = simulation
  const ends = new Map<string, End>()
  const visible = new Map<string, ReadonlyMap<string, boolean>>()
  const responses = new Map<string, number>()
  let isCut = false
  const all = Object.entries(tests)
  const first = rotates ? run % all.length : 0
  for (const [test, meets] of [...all.slice(first), ...all.slice(0, first)]) {
    if (isCut && kills) ends.set(test, 'unended')
    if (isCut && (bails || kills)) continue
    const behaviour = key === undefined ? undefined : meets[key]
    const fails = run > 0 && flakes?.(test, run, key) === true
    const outcome = fails ? 'failed' : (outcomes[behaviour ?? 'passes'] ?? 'passed')
    isCut ||= outcome === 'failed' || outcome === 'unended'
    ends.set(test, outcome)
    const exercised = keys.filter((key) => key in meets && meets[key] !== 'depends')
    const shown = exercised.filter((one) => key === undefined || (one === key && behaviour !== 'hides'))
    visible.set(test, new Map(shown.map((key) => [key, true])))
    for (const key of shown) responses.set(key, (responses.get(key) ?? 0) + 1)
  }
  if (!isCut) ends.set(wholeCommand, unexplained.includes(key ?? '') ? 'unexplained' : 'passed')
  else if (![...ends.values()].includes('failed')) ends.set(wholeCommand, 'failed')
  const other = run === 0 ? undefined : end?.(key, run)
  return {
    keys: key === undefined ? [] : [key],
    ends: other ? new Map(Object.entries(other)) : ends,
    visible,
    responses,
  }
}

export const judgeSuite = async (
  simulation: Simulation,
  {
    jobs = 1,
    needsOneFailure = false,
    repeated = new Map(),
  }: { jobs?: number; needsOneFailure?: boolean; repeated?: RepetitionOutcomes } = {},
) => {
  const begun: State = {
    ...begin(simulation.keys, [simulate(simulation, undefined, 0)], needsOneFailure),
    repeated,
  }
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
    leftFailing: leftFailing(state),
    runs,
    served: runs.map(({ keys }) => keys.join()),
    isComplete: nextRuns(state, 1).length === 0,
  }
}

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
