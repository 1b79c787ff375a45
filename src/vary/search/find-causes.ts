import {
  type AlternativeKey,
  idIn,
  isSameSet,
  type Observation,
  type PlannedRun,
  type TestId,
  wholeCommand,
} from '../suite/observe.ts'
import { type Judgement, judgeTest } from './judge-test.ts'
import { nextRun, type PlannedSet } from './next-run.ts'

export type Search = {
  /** The first run, without any alternative. */
  readonly first: Observation
  /** Runs before it, without any alternative. Default: none. */
  readonly earlier?: readonly Observation[]
  /**
   * Runs the suite. `undefined` when it was stopped.
   * @param further How many runs are planned after it so far; failures plan more.
   */
  readonly run: (planned: PlannedRun, further: number) => Promise<Observation | undefined>
  /** The files of tests, or `undefined` when the command cannot run single files. Default: always `undefined`. */
  readonly filesOf?: (tests: readonly TestId[]) => readonly string[] | undefined
  /** The file of a test. Default: each test has its own. */
  readonly fileOf?: (test: TestId) => string
  /** How many runs may take place at the same time. Default: 1. */
  readonly jobs?: number
  /** Whether each run has a single alternative. Default: false. */
  readonly each?: boolean
  /** Alternatives to combine in any case, in rows of one value of each assumption. Default: none. */
  readonly combined?: readonly AlternativeKey[]
}

export type Findings = {
  readonly observations: readonly Observation[]
  readonly judgements: ReadonlyMap<TestId, Judgement>
}

/** A suite that changes from run to run could demand runs without end. */
const maxRuns = 300
const maxEqualRuns = 12
/** Planning takes time in a suite of thousands of tests. */
const maxAhead = 9

const isSameRun = (a: PlannedRun, b: PlannedRun): boolean =>
  isSameSet(a.set, b.set) && isSameSet(a.files ?? [], b.files ?? [])

/**
 * Runs a suite under alternatives until it is known for each test and each alternative that is visible in it whether the
 * one breaks the other.
 */
export const findCauses = async (search: Search): Promise<Findings> => {
  const { first, earlier = [], run, jobs = 1 } = search
  const observations: Observation[] = [first, ...earlier]
  while (observations.length < maxRuns) {
    const ahead = planRuns(observations, judgeAll(observations), search)
    const planned = ahead
      .slice(0, jobs)
      .filter((next) => observations.filter((run) => isSameRun(run, next)).length < maxEqualRuns)
    const results = await Promise.all(planned.map((next, at) => run(next, Math.max(0, ahead.length - at - 1))))
    const observed = results.flatMap((result) => result ?? [])
    observations.push(...observed)
    if (planned.length === 0 || observed.length < planned.length) break
  }
  return { observations, judgements: judgeAll(observations) }
}

/** The next runs, the most urgent first; none when nothing is left to find out. */
const planRuns = (
  observations: readonly Observation[],
  judgements: ReadonlyMap<TestId, Judgement>,
  { filesOf = () => undefined, fileOf = (test) => test, each = false, jobs = 1, combined = [] }: Search,
): readonly PlannedRun[] => {
  const unchanged = observations.filter(({ set }) => set.length === 0)
  // A file that fails alone depends on the files before it.
  const canNarrow = unchanged.every(({ files, failed }) => files === undefined || failed.size === 0)
  const filesFor = (tests: readonly TestId[]): readonly string[] | undefined => {
    const files = canNarrow ? filesOf(tests) : undefined
    if (files === undefined) return undefined
    const known = unchanged.flatMap((run) => (run.files === undefined ? [] : [run.files]))
    return known.find((others) => files.every((file) => others.includes(file))) ?? files
  }
  const repeats = repeatsOfFirst(observations, filesFor)
  if (repeats.length > 0) return repeats
  const sets: PlannedSet[] = []
  while (sets.length < jobs + maxAhead) {
    const next = nextRun(judgements, sets, each, fileOf)
    if (next === undefined) break
    sets.push(next)
  }
  if (sets.length > 0 || each) return sets.map(({ set, tests }) => ({ set, files: filesFor(tests) }))
  return rowsOf(combined)
    .filter((row) => !observations.some(({ set }) => row.every((key) => set.includes(key))))
    .map((set) => ({ set, files: undefined }))
}

/** As many rows as one assumption has alternatives, each with two assumptions or more. */
const rowsOf = (keys: readonly AlternativeKey[]): readonly (readonly AlternativeKey[])[] => {
  const byId = new Map<string, AlternativeKey[]>()
  for (const key of keys) byId.set(idIn(key), [...(byId.get(idIn(key)) ?? []), key])
  const columns = [...byId.values()]
  if (columns.length < 2) return []
  const length = Math.max(...columns.map((column) => column.length))
  return Array.from({ length }, (_, row) => columns.map((column) => column[row % column.length] as AlternativeKey))
}

/**
 * Once a test has failed, the first run is repeated: a failure there is none of an alternative. Files that failed are
 * repeated in the same company.
 */
const repeatsOfFirst = (
  observations: readonly Observation[],
  filesFor: (tests: readonly TestId[]) => readonly string[] | undefined,
): readonly PlannedRun[] => {
  const failures = observations.filter(({ set, failed }) => set.length > 0 && failed.size > 0)
  const unchecked = failures.find((failure) => !isChecked(failure, observations))
  if (unchecked !== undefined) return [{ set: [], files: unchecked.files }]
  const isRepeated = observations.filter(({ set }) => set.length === 0).length > 1
  if (failures.length === 0 || isRepeated) return []
  return [{ set: [], files: filesFor(failures.flatMap(({ failed }) => [...failed])) }]
}

/** Whether the files of a run have also run without alternatives. */
const isChecked = ({ files }: Observation, observations: readonly Observation[]): boolean =>
  files === undefined ||
  observations.some((other) => other.set.length === 0 && other.files !== undefined && isSameSet(other.files, files))

const judgeAll = (observations: readonly Observation[]): ReadonlyMap<TestId, Judgement> => {
  const failsAlone = observations.filter(({ set, files, failed }) => set.length === 0 && files && failed.size > 0)
  const isUsable = (run: Observation): boolean =>
    run.files === undefined ||
    run.failed.size === 0 ||
    (isChecked(run, observations) && !failsAlone.some(({ files }) => isSameSet(files ?? [], run.files ?? [])))
  const usable = observations.filter(isUsable)
  const tests = new Set(observations.flatMap(({ failed, passed }) => [...failed, ...passed]))
  const isCommandAlone = tests.size === 1
  const hasCommandFailed = observations.some(({ failed }) => failed.has(wholeCommand))
  const seesMore = observations.some(({ visible }) => (visible.get(wholeCommand)?.size ?? 0) > 0)
  if (!isCommandAlone && !hasCommandFailed && !seesMore) tests.delete(wholeCommand)
  return new Map([...tests].map((test) => [test, judgeTest(test, usable)]))
}
