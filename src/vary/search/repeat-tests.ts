import type { ChangeKey, Repeats, TestId } from '../evidence/plan.ts'
import type { RecordedRepetition, RepetitionOutcome } from '../evidence/repetitions.ts'
import type { SuiteRun } from '../suite/observe.ts'
import type { SuiteSession } from '../suite/suite-session.ts'
import { openKeys, type RepetitionOutcomes, type State } from './judge.ts'

type KnownRun = Pick<SuiteRun, 'passed' | 'tests' | 'repetitions'>

/** Repetitions cost two more runs of the suite. With fewer changes than this, one run for each change is cheaper. */
const minChanges = 3

export const planRepeats = (state: State, { repetitions }: KnownRun): Repeats => {
  const isSeparable = (test: TestId): boolean => {
    const [only] = repetitions.get(test) ?? []
    return only !== undefined && isGood(only)
  }
  const changes = [...state.exercisedBy].filter(([, tests]) => tests.length > 0 && tests.every(isSeparable))
  const repeats: Record<TestId, ChangeKey[]> = {}
  if (changes.length < minChanges) return repeats
  for (const [key, tests] of changes) for (const test of tests) repeats[test] = [...(repeats[test] ?? []), key]
  return repeats
}

/** Also runs the suite in reverse order, because repetitions do not show whether tests depend on earlier tests. */
export const repeatTests = async (
  session: Pick<SuiteSession, 'run'>,
  state: State,
  first: KnownRun,
  repeats: Repeats,
): Promise<State> => {
  if (Object.keys(repeats).length === 0) return state
  const run = await session.run({ keys: [], repeats })
  if (run === undefined) return state
  const repeated = { ...state, repeated: repetitionOutcomes(repeats, first, run) }
  if (openKeys(repeated).length === openKeys(state).length) return repeated
  const reversed = await session.run({ keys: [], repeats: {}, isReversed: true })
  return reversed === undefined ? state : { ...state, repeated: repetitionOutcomes(repeats, first, run, reversed) }
}

export const repetitionOutcomes = (
  repeats: Repeats,
  first: KnownRun,
  run: KnownRun,
  reversed: KnownRun = first,
): RepetitionOutcomes => {
  const outcomes = new Map<ChangeKey, Map<TestId, RepetitionOutcome>>()
  const doubts = [run, reversed].map((run) => filesInDoubt(first, run))
  for (const { id, file } of first.tests ?? []) {
    const keys = repeats[id] ?? []
    const [before, ...changed] = run.repetitions.get(id) ?? []
    const after = changed.pop()
    const areComplete = before !== undefined && after !== undefined && changed.length === keys.length
    if (!areComplete || !isGood(before) || !isGood(after) || after.requests !== before.requests) continue
    if (doubts.some((isInDoubt) => isInDoubt(file))) continue
    for (const [index, { outcome, isChangeShown, isShared }] of changed.entries()) {
      const key = keys[index] as ChangeKey
      if (outcome === undefined || !isChangeShown || isShared) continue
      outcomes.set(key, (outcomes.get(key) ?? new Map<TestId, RepetitionOutcome>()).set(id, outcome))
    }
  }
  return outcomes
}

const isGood = ({ outcome, isShared }: RecordedRepetition): boolean => outcome === 'passed' && !isShared

/** Distrusts files whose outcomes or requests differ from the first run: a cache or another test may be the cause. */
const filesInDoubt = (first: KnownRun, run: KnownRun): ((file: string) => boolean) => {
  const tests = [first, run].flatMap(({ tests = [] }) => tests)
  const [before, after] = [first, run].map(({ tests = [], repetitions }) => {
    const seen = tests.map(({ id, outcome }) => [id, `${outcome} ${repetitions.get(id)?.[0]?.requests}`] as const)
    return new Map(seen)
  })
  const files = new Set(tests.flatMap(({ id, file }) => (before?.get(id) === after?.get(id) ? [] : file)))
  const known = new Set(first.tests?.map(({ file }) => file))
  // After an error outside of the test files, or a failure that no test shows, all files are in doubt.
  const areAll = (!run.passed && files.size === 0) || [...files].some((file) => !known.has(file))
  return (file) => areAll || files.has(file)
}
