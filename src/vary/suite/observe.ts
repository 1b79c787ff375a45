import type { ChangedExchange } from '../evidence/changed-exchange.ts'
import type { EvidenceLine } from '../evidence/evidence-log.ts'
import type { ChangeKey, Plan, TestId } from '../evidence/plan.ts'
import type { RecordedRepetition } from '../evidence/repetitions.ts'
import type { Evidence } from './read-evidence.ts'
import type { SuiteEnd } from './run-suite.ts'
import type { TestOutcome, TestResult } from './test-result.ts'

export const wholeCommand: TestId = ''

export type PlannedRun = Pick<Plan, 'repeats' | 'isReversed'> & {
  readonly keys: readonly ChangeKey[]
}

export type SuiteRun = PlannedRun &
  SuiteEnd & {
    readonly output: string
    readonly evidence: Pick<Evidence, 'exchanges' | 'sightings' | 'fixed'>
    readonly differences: ReturnType<typeof differencesByTest>
    readonly repetitions: ReturnType<typeof repetitionsIn>
    readonly tests: readonly TestResult[] | undefined
    readonly areTimed: boolean
  }

/** `unexplained`: the command failed although its tests passed, for example because of a coverage threshold. */
export type End = TestOutcome | 'unexplained'

export type Observation = PlannedRun & {
  readonly ends: ReadonlyMap<TestId, End>
  /** For each test, the changes in responses that it may have received; true if it certainly received one of them. */
  readonly visible: ReadonlyMap<TestId, ReadonlyMap<ChangeKey, boolean>>
  readonly responses: ReadonlyMap<ChangeKey, number>
}

export const failedIn = ({ ends }: Observation): readonly TestId[] =>
  [...ends].flatMap(([test, end]) => (end === 'failed' ? [test] : []))

type Line = Pick<EvidenceLine, 'pid' | 'since' | 'at' | 'file' | 'test'>

type ObservedRun = PlannedRun & Pick<SuiteRun, 'passed' | 'evidence' | 'tests' | 'areTimed'>

export const isUnexplained = ({ passed, tests = [] }: Pick<ObservedRun, 'passed' | 'tests'>): boolean =>
  !passed &&
  tests.some(({ outcome }) => outcome === 'passed') &&
  tests.every(({ outcome }) => outcome === 'passed' || outcome === 'skipped')

export const observe = ({ keys, passed, evidence, tests = [], areTimed }: ObservedRun): Observation => {
  // Counts failed tests even if the command passes, because a pipe or script may hide the exit code of the runner.
  const ends = new Map<TestId, End>(tests.map(({ id, outcome }) => [id, outcome]))
  const ran = tests.filter(({ outcome }) => outcome !== 'skipped')
  const ids = [wholeCommand, ...ran.map(({ id }) => id)]
  const visible = new Map(ids.map((id) => [id, new Map<ChangeKey, boolean>()]))
  const responses = new Map<ChangeKey, number>()
  const ownersOf = areTimed ? ownersAmong(ran) : () => ids
  for (const sighting of evidence.sightings) {
    const owners = ownersOf(sighting)
    for (const key of sighting.changes) {
      responses.set(key, (responses.get(key) ?? 0) + 1)
      for (const id of owners) visible.get(id)?.set(key, owners.length === 1 || visible.get(id)?.get(key) === true)
    }
  }
  if (passed) ends.set(wholeCommand, 'passed')
  else if (isUnexplained({ passed, tests })) ends.set(wholeCommand, 'unexplained')
  else if (![...ends.values()].includes('failed')) ends.set(wholeCommand, 'failed')
  return { keys, ends, visible, responses }
}

/** Returns the test that an exchange names, else the tests that ran then, else all later tests, else the last test. */
const ownersAmong = (tests: readonly TestResult[]): ((line: Line) => readonly TestId[]) => {
  const processes = new Set(tests.flatMap(({ pid }) => pid ?? []))
  const files = new Set(tests.map(({ file }) => file))
  const isNear = (line: Line, { file, pid }: TestResult): boolean => {
    if (line.file !== undefined && files.has(line.file)) return line.file === file
    return pid === undefined || !processes.has(line.pid) || pid === line.pid
  }
  const ids = new Set(tests.map(({ id }) => id))
  return (line) => {
    if (line.test !== undefined && ids.has(line.test)) return [line.test]
    const near = tests.filter((test) => isNear(line, test))
    const during = near.filter((test) => isDuring(line, test))
    const later = near.filter(({ start }) => line.at <= start)
    const last = near.filter((test) => ranIn(line, test)).toSorted((a, b) => a.end - b.end)
    const owners = during.length > 0 ? during : later.length > 0 ? later : last.slice(-1)
    return owners.length > 0 ? owners.map(({ id }) => id) : [wholeCommand]
  }
}

/** Includes a test that ended in the same millisecond as the exchange began, because times are whole milliseconds. */
const isDuring = ({ since, at }: Line, { start, end }: TestResult): boolean => since <= end && at >= start

const ranIn = (line: Line, { file, pid }: TestResult): boolean =>
  line.file === file || (line.file === undefined && line.pid === pid)

export const differencesByTest = (
  { differences }: Pick<Evidence, 'differences'>,
  { tests, areTimed }: Pick<SuiteRun, 'tests' | 'areTimed'>,
): ReadonlyMap<ChangeKey, ReadonlyMap<TestId, ChangedExchange>> => {
  const ownersOf = areTimed && tests !== undefined ? ownersAmong(tests) : () => [wholeCommand]
  const byKey = new Map<ChangeKey, Map<TestId, ChangedExchange>>()
  for (const { changes, request, diff, ...line } of differences) {
    const byTest = byKey.get(changes.join()) ?? new Map<TestId, ChangedExchange>()
    byKey.set(changes.join(), byTest)
    for (const id of ownersOf(line)) if (!byTest.has(id)) byTest.set(id, { request, diff })
  }
  return byKey
}

export const repetitionsIn = (
  { repeated, unowned }: Pick<Evidence, 'repeated' | 'unowned'>,
  { tests = [], areTimed }: Pick<SuiteRun, 'tests' | 'areTimed'>,
): ReadonlyMap<TestId, readonly RecordedRepetition[]> => {
  const all = new Map<TestId, readonly RecordedRepetition[]>()
  if (!areTimed || repeated.length === 0) return all
  // Drops repetitions of tests with the same id, which occur if two commands of one script run the same test.
  for (const { test = '', repetitions } of repeated) all.set(test, all.has(test) ? [] : repetitions)
  const ownersOf = ownersAmong(tests.filter(({ outcome }) => outcome !== 'skipped'))
  for (const id of new Set(unowned.flatMap(ownersOf)))
    all.set(id, all.get(id)?.map((repetition) => ({ ...repetition, isShared: true })) ?? [])
  return all
}
