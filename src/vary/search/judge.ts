import type { ChangeKey, TestId } from '../evidence/plan.ts'
import type { RepetitionOutcome } from '../evidence/repetitions.ts'
import { failedIn, type Observation, type PlannedRun, wholeCommand } from '../suite/observe.ts'

export const whyNotJudged = {
  unseen: 'no response showed the change: a cache replied, or the suite set another value',
  flaky: 'only flaky tests exercise the change',
  skipped: 'a test that exercises the change did not run, or a test did not end',
  unexplained: 'no test failed, but the command did (a coverage threshold?); run the suite without thresholds',
  stopped: 'the search was stopped',
}
export type NotJudged = keyof typeof whyNotJudged

export type Verdict = {
  readonly key: ChangeKey
  readonly status: 'fails' | 'passes' | 'notExercised' | 'notJudged'
  readonly reason?: NotJudged
  readonly exercisedBy: readonly TestId[]
  readonly failing: readonly TestId[]
}

export type RepetitionOutcomes = ReadonlyMap<ChangeKey, ReadonlyMap<TestId, RepetitionOutcome>>

export type State = {
  readonly needsOneFailure: boolean
  readonly exercisedBy: ReadonlyMap<ChangeKey, readonly TestId[]>
  readonly known: ReadonlySet<TestId>
  readonly runs: ReadonlyMap<ChangeKey, readonly Observation[]>
  readonly repeated: RepetitionOutcomes
  readonly flaky: ReadonlySet<TestId>
  /** The runs without a change: the first run, and later ones, which show whether changed runs left anything behind. */
  readonly unchanged: readonly Observation[]
  readonly rechecked: ReadonlySet<TestId>
}

/** If a test failed repeatedly under this many changes, it is not flaky: one failure proves that a change breaks it. */
const enoughRepeats = 4
const maxRuns = 4

export const begin = (
  keys: readonly ChangeKey[],
  unchanged: readonly Observation[],
  needsOneFailure = false,
): State => {
  const known = new Set(unchanged.flatMap(({ ends }) => [...ends].flatMap(([id, end]) => (end === 'passed' ? id : []))))
  const meets = (test: TestId, key: ChangeKey): boolean =>
    unchanged.some(({ visible }) => visible.get(test)?.has(key) === true)
  return {
    needsOneFailure,
    exercisedBy: new Map(keys.map((key) => [key, [...known].filter((test) => meets(test, key))])),
    known,
    runs: new Map(),
    repeated: new Map(),
    flaky: new Set(unchanged.flatMap(failedIn)),
    unchanged: unchanged.slice(-1),
    rechecked: new Set(),
  }
}

export const judge = (state: State, run: Observation): State => {
  const [key] = run.keys
  if (key === undefined)
    return {
      ...state,
      unchanged: [...state.unchanged, run],
      flaky: new Set([...state.flaky, ...failedIn(run)]),
      rechecked: new Set([...state.rechecked, ...uncheckedIn(state)]),
    }
  const runs = [...runsOf(state, key), run]
  const flaky = runs.flatMap(failedIn).filter((test) => runs.some((run) => hasPassed(state, run, test)))
  return { ...state, runs: new Map(state.runs).set(key, runs), flaky: new Set([...state.flaky, ...flaky]) }
}

/** Recorders record a hook only if it fails. Without a record, the hook passed if all tests ended and none failed. */
const hasPassed = ({ known }: State, run: Observation, test: TestId): boolean =>
  known.has(test) ? run.ends.get(test) === 'passed' : !isCut(run)

const isCut = ({ ends }: Observation): boolean =>
  [...ends.values()].some((end) => end === 'failed' || end === 'unended')

const runsOf = ({ runs }: State, key: ChangeKey): readonly Observation[] => runs.get(key) ?? []

/** A failed repetition counts only if the test also fails in a run of the whole suite. */
const countFailures = (state: State, key: ChangeKey, test: TestId): number => {
  const whole = runsOf(state, key).filter(({ ends }) => ends.get(test) === 'failed').length
  return whole > 0 && state.repeated.get(key)?.get(test) === 'failed' ? whole + 1 : whole
}

const stableTestsOf = (state: State, key: ChangeKey): readonly TestId[] => {
  const all = new Set([...(state.exercisedBy.get(key) ?? []), ...runsOf(state, key).flatMap(failedIn)])
  return [...all].filter((test) => !state.flaky.has(test))
}

const isReliable = (state: State, test: TestId): boolean =>
  state.known.has(test) &&
  [...state.runs.keys()].filter((key) => countFailures(state, key, test) > 1).length >= enoughRepeats

const failingOf = (state: State, key: ChangeKey): readonly TestId[] =>
  stableTestsOf(state, key).filter((test) => {
    const failures = countFailures(state, key, test)
    return failures > 1 || (failures === 1 && isReliable(state, test))
  })

const uncheckedIn = (state: State): readonly TestId[] =>
  [...state.runs.keys()].flatMap((key) => failingOf(state, key)).filter((test) => !state.rechecked.has(test))

/** A test may depend on state of another test, so all tests except flaky ones must run with the change. */
const areAllTried = (state: State, key: ChangeKey): boolean => {
  const wasTried = (test: TestId): boolean =>
    runsOf(state, key).some((run) => !isCut(run) || ![undefined, 'skipped', 'unended'].includes(run.ends.get(test)))
  const known = [...state.known].filter((test) => test !== wholeCommand && !state.flaky.has(test))
  return [...known, ...stableTestsOf(state, key)].every(wasTried)
}

const hasPassedRepeated = (state: State, key: ChangeKey): boolean =>
  runsOf(state, key).length === 0 &&
  stableTestsOf(state, key).every((test) => state.repeated.get(key)?.get(test) === 'passed')

const needsRun = (state: State, key: ChangeKey): boolean => {
  const runs = runsOf(state, key)
  const tests = stableTestsOf(state, key)
  if (runs.length === 0) return tests.length > 0 && !hasPassedRepeated(state, key)
  if (runs.length === maxRuns) return false
  const failing = failingOf(state, key)
  const isUnconfirmed = tests.some((test) => countFailures(state, key, test) > 0 && !failing.includes(test))
  if (failing.length > 0) return isUnconfirmed && runs.length === 1 && !state.needsOneFailure
  return isUnconfirmed || !areAllTried(state, key)
}

export const openKeys = (state: State): readonly ChangeKey[] =>
  [...state.exercisedBy.keys()]
    .filter((key) => needsRun(state, key))
    .sort((a, b) => Number(state.runs.has(b)) - Number(state.runs.has(a)))

export const nextRuns = (state: State, jobs: number): readonly PlannedRun[] => {
  const open = openKeys(state)
  if (open.length > 0) return open.slice(0, jobs).map((key) => ({ keys: [key] }))
  return isUnsure(state) || uncheckedIn(state).length > 0 ? [{ keys: [] }] : []
}

const newFailures = ({ unchanged: [first, ...later] }: State): readonly (readonly TestId[])[] =>
  later.map((run) => failedIn(run).filter((test) => first?.ends.get(test) !== 'failed'))

/** Tests that pass in the first unchanged run but fail in the last two: earlier runs have left something behind. */
export const leftFailing = (state: State): readonly TestId[] => {
  const [previous = [], last = []] = newFailures(state).slice(-2)
  return last.filter((test) => previous.includes(test))
}

/** If a test fails in the second run without a change, a third run shows whether the test is flaky or always fails. */
const isUnsure = (state: State): boolean => {
  const [first = [], second] = newFailures(state)
  return first.length > 0 && second === undefined
}

const verdictOf = (state: State, key: ChangeKey): Pick<Verdict, 'status' | 'reason'> => {
  const notJudged = (reason: NotJudged) => ({ status: 'notJudged', reason }) as const
  if (failingOf(state, key).length > 0) return { status: 'fails' }
  if (state.exercisedBy.get(key)?.length === 0) return { status: 'notExercised' }
  const tests = stableTestsOf(state, key)
  if (tests.length === 0) return notJudged('flaky')
  if (needsRun(state, key)) return notJudged('stopped')
  if (hasPassedRepeated(state, key)) return { status: 'passes' }
  const runs = runsOf(state, key)
  const passes = (test: TestId): readonly Observation[] => runs.filter(({ ends }) => ends.get(test) === 'passed')
  if (runs.some(({ ends }) => ends.get(wholeCommand) === 'unexplained')) return notJudged('unexplained')
  if (!areAllTried(state, key) || tests.some((test) => passes(test).length === 0)) return notJudged('skipped')
  // A cache may hide a change, so a pass counts only if a response showed the change to the test.
  const isSeen = (test: TestId): boolean => passes(test).some(({ visible }) => visible.get(test)?.has(key))
  const [baseline] = state.unchanged
  const certain = tests.filter((test) => baseline?.visible.get(test)?.get(key))
  // If no response belongs to a test for certain, counts in each run how many responses show the change.
  const responses = Math.max(...runs.map((run) => run.responses.get(key) ?? 0))
  const areAllSeen = certain.length > 0 ? certain.every(isSeen) : responses >= (baseline?.responses.get(key) ?? 0)
  return areAllSeen && tests.some(isSeen) ? { status: 'passes' } : notJudged('unseen')
}

export const verdictsIn = (state: State): readonly Verdict[] =>
  [...state.exercisedBy].map(([key, exercisedBy]) => ({
    key,
    ...verdictOf(state, key),
    exercisedBy,
    failing: failingOf(state, key),
  }))
