import type { ChangeKey, TestId } from '../evidence/plan.ts'
import type { RecordedRepetition, RepetitionOutcome } from '../evidence/repetitions.ts'
import type { SuiteRun } from '../suite/observe.ts'
import type { SuiteSession } from '../suite/suite-session.ts'
import { exercisedIn, passedRepeated, type RepetitionOutcomes, type State } from './judge.ts'

type Repeats = ReadonlyMap<TestId, readonly ChangeKey[]>
type KnownRun = Pick<SuiteRun, 'passed' | 'tests' | 'repetitions'>

/** Two runs replace whole runs with at least this many changes. */
const minChanges = 3

/** The changes under which each test is repeated: those that only tests with mocks of their own exercise. */
export const planRepeats = (state: State, first: KnownRun): Repeats => {
  const isSeparable = (test: TestId): boolean => {
    const [only, ...others] = first.repetitions.get(test) ?? []
    return only !== undefined && others.length === 0 && isGood(only)
  }
  const changes = [...exercisedIn(state)].filter(([, tests]) => tests.every(isSeparable))
  const repeats = new Map<TestId, ChangeKey[]>()
  if (changes.length < minChanges) return repeats
  for (const [key, tests] of changes) for (const test of tests) repeats.set(test, [...(repeats.get(test) ?? []), key])
  return repeats
}

/**
 * Repeats tests under changes in one run. A second run shows in reverse order whether tests depend on tests before them:
 * a change could then break a test that does not exercise it.
 */
export const repeatTests = async (
  session: Pick<SuiteSession, 'runWhole'>,
  state: State,
  first: KnownRun,
  repeats: Repeats,
): Promise<State> => {
  if (repeats.size === 0) return state
  const run = await session.runWhole({ keys: [], repeats })
  if (run === undefined) return state
  const repeated = { ...state, repeated: repetitionOutcomes(first, repeats, run) }
  if (passedRepeated(repeated).length === 0) return repeated
  const reversed = await session.runWhole({ keys: [], repeats: new Map(), isReversed: true })
  if (reversed === undefined) return state
  return { ...state, repeated: repetitionOutcomes(first, repeats, run, reversed) }
}

/** How repetitions ended with each change. What is in doubt is missing, so that whole runs decide. */
export const repetitionOutcomes = (
  first: KnownRun,
  repeats: Repeats,
  run: KnownRun,
  reversed: KnownRun = first,
): RepetitionOutcomes => {
  const outcomes = new Map<ChangeKey, Map<TestId, RepetitionOutcome>>()
  const doubts = [unlikeFiles(first, run), unlikeFiles(first, reversed, true)]
  for (const { id, file } of first.tests ?? []) {
    const keys = repeats.get(id) ?? []
    const [before, ...others] = run.repetitions.get(id) ?? []
    const [after, changed] = [others.at(-1), others.slice(0, -1)]
    // A cache may hide requests.
    const isUnchanged = (one: RecordedRepetition | undefined): boolean =>
      one !== undefined && isGood(one) && one.requests === requestsOf(first, id)
    if (
      !isUnchanged(before) ||
      !isUnchanged(after) ||
      changed.length !== keys.length ||
      doubts.some((isUnlike) => isUnlike(file))
    )
      continue
    for (const [index, key] of keys.entries()) {
      const { outcome, isShown, isShared } = changed[index] as RecordedRepetition
      if (outcome === undefined || !isShown || isShared) continue
      outcomes.set(key, (outcomes.get(key) ?? new Map<TestId, RepetitionOutcome>()).set(id, outcome))
    }
  }
  return outcomes
}

const isGood = ({ outcome, isShared }: RecordedRepetition): boolean => outcome === 'passed' && !isShared

const requestsOf = ({ repetitions }: KnownRun, id: TestId): string | undefined => repetitions.get(id)?.[0]?.requests

/**
 * Finds the files in which a test ended otherwise than in the first run.
 * @param withRequests Whether other requests count too. Default: false.
 */
const unlikeFiles = (first: KnownRun, run: KnownRun, withRequests = false): ((file: string) => boolean) => {
  const [before, after] = [first, run].map(({ tests = [] }) => new Map(tests.map((test) => [test.id, test])))
  const all = [...(before?.values() ?? []), ...(after?.values() ?? [])]
  const isUnlike = (id: TestId): boolean => {
    if (before?.get(id)?.outcome !== after?.get(id)?.outcome) return true
    return withRequests && requestsOf(run, id) !== requestsOf(first, id)
  }
  const files = new Set(all.filter(({ id }) => isUnlike(id)).map(({ file }) => file))
  const known = new Set(first.tests?.map(({ file }) => file))
  // An error outside of the files of tests, or a command that fails without an error, may concern each test.
  const areAllUnlike = (!run.passed && files.size === 0) || [...files].some((file) => !known.has(file))
  return (file) => areAllUnlike || files.has(file)
}
