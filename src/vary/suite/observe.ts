import type { ChangedExchange } from '../evidence/changed-exchange.ts'
import type { EvidenceLine } from '../evidence/evidence-log.ts'
import type { ChangeKey } from '../evidence/plan.ts'
import type { Evidence, Sighting } from './read-evidence.ts'
import type { SuiteEnd } from './run-suite.ts'
import type { TestOutcome, TestResult } from './test-result.ts'

/** Identifies a test: its file and its name. */
export type TestId = string

/** Represents the whole command, if it fails or passes without a known test. */
export const wholeCommand: TestId = ''

export type PlannedRun = {
  /** The changes to serve; empty for a run without changes. */
  readonly keys: readonly ChangeKey[]
}

export type SuiteRun = PlannedRun &
  SuiteEnd & {
    /** The file with the output of the command. */
    readonly output: string
    readonly evidence: Pick<Evidence, 'exchanges' | 'sightings' | 'fixed'>
    readonly differences: ReturnType<typeof differencesByTest>
    /** The tests that ran; `undefined` if they are unknown. */
    readonly tests: readonly TestResult[] | undefined
    /** Whether start and end of each test are known. */
    readonly areTimed: boolean
  }

/** How a test ended, or the command: `unexplained` if it failed although its tests passed. */
export type End = TestOutcome | 'unexplained'

/** The data of a run that a search needs. */
export type Observation = PlannedRun & {
  /** How the tests ended, and the command if no failing test explains its failure. */
  readonly ends: ReadonlyMap<TestId, End>
  /**
   * The changes that would alter a response to a test. If the run served changes: the changes that altered a response.
   */
  readonly visible: ReadonlyMap<TestId, ReadonlySet<ChangeKey>>
}

export const failedIn = ({ ends }: Observation): readonly TestId[] =>
  [...ends].flatMap(([test, end]) => (end === 'failed' ? [test] : []))

type ObservedRun = PlannedRun & Pick<SuiteRun, 'passed' | 'evidence' | 'tests' | 'areTimed'>

/** Whether a command failed although its tests passed, for example because of its coverage threshold. */
export const isUnexplained = ({ passed, tests = [] }: Pick<ObservedRun, 'passed' | 'tests'>): boolean =>
  !passed &&
  tests.some(({ outcome }) => outcome === 'passed') &&
  tests.every(({ outcome }) => outcome === 'passed' || outcome === 'skipped')

/** Combines the evidence of a run: which tests failed, and which changes are visible in which test. */
export const observe = ({ keys, passed, evidence, tests = [], areTimed }: ObservedRun): Observation => {
  const keysIn = (sightings: readonly Sighting[]): ReadonlySet<ChangeKey> =>
    new Set(sightings.flatMap(({ changes }) => changes))
  // Failures count also if the command passed: a pipe or a script may hide the exit code of a runner.
  const ends = new Map<TestId, End>(tests.map(({ id, outcome }) => [id, outcome]))
  const ran = tests.filter(({ outcome }) => outcome !== 'skipped')
  const all = keysIn(evidence.sightings)
  const sightings = areTimed ? linesByTest(ran, evidence.sightings) : undefined
  const visible = new Map<TestId, ReadonlySet<ChangeKey>>(
    ran.map(({ id }) => [id, sightings === undefined ? all : keysIn(sightings.get(id) ?? [])]),
  )
  // Exchanges after the last test, for example of a second command, count for the command.
  visible.set(wholeCommand, sightings === undefined ? all : keysIn(sightings.get(wholeCommand) ?? []))
  if (passed) ends.set(wholeCommand, 'passed')
  else if (isUnexplained({ passed, tests })) ends.set(wholeCommand, 'unexplained')
  // A command may fail without a failing test: while loading, or because a process was killed.
  else if (![...ends.values()].includes('failed')) ends.set(wholeCommand, 'failed')
  return { keys, ends, visible }
}

/**
 * Assigns sightings to the tests that ran at the time, in the same file or process if known. A sighting outside of all
 * tests, for example in a hook, counts for every later test there. If no test follows, it counts for the last test of
 * the file or process whose mock replied; if none ran there, for the command.
 */
const linesByTest = <Line extends Pick<EvidenceLine, 'pid' | 'since' | 'at' | 'file'>>(
  tests: readonly TestResult[],
  sightings: readonly Line[],
): ReadonlyMap<TestId, readonly Line[]> => {
  const processes = new Set(tests.flatMap(({ pid }) => pid ?? []))
  const files = new Set(tests.map(({ file }) => file))
  const isNear = (sighting: Line, { file, pid }: TestResult): boolean => {
    if (sighting.file !== undefined && files.has(sighting.file)) return sighting.file === file
    return pid === undefined || !processes.has(sighting.pid) || pid === sighting.pid
  }
  const byTest = new Map<TestId, Line[]>([wholeCommand, ...tests.map(({ id }) => id)].map((id) => [id, []]))
  for (const sighting of sightings) {
    const near = tests.filter((test) => isNear(sighting, test))
    const during = near.filter((test) => isDuring(sighting, test))
    const later = near.filter(({ start }) => sighting.at <= start)
    const owners =
      during.length > 0 ? during : later.length > 0 ? later : lastOf(near.filter((test) => ranIn(sighting, test)))
    for (const id of owners.length > 0 ? owners.map((test) => test.id) : [wholeCommand]) byTest.get(id)?.push(sighting)
  }
  return byTest
}

/**
 * All times are whole milliseconds of one clock, so an exchange may also count for a test that ended in the same
 * millisecond.
 */
const isDuring = ({ since, at }: Pick<EvidenceLine, 'since' | 'at'>, { start, end }: TestResult): boolean =>
  since <= end && at >= start

/** Whether a mock of the same file or process replied. */
const ranIn = (sighting: Pick<EvidenceLine, 'pid' | 'file'>, { file, pid }: TestResult): boolean =>
  sighting.file === file || (sighting.file === undefined && sighting.pid === pid)

const lastOf = (tests: readonly TestResult[]): readonly TestResult[] =>
  tests.toSorted((a, b) => a.end - b.end).slice(-1)

/** The first exchange whose response changed, by test; by `wholeCommand` if tests are unknown. */
export const differencesByTest = (
  differences: Evidence['differences'],
  { tests, areTimed }: Pick<SuiteRun, 'tests' | 'areTimed'>,
): ReadonlyMap<TestId, ChangedExchange> => {
  const byTest =
    areTimed && tests !== undefined ? linesByTest(tests, differences) : new Map([[wholeCommand, differences]])
  return new Map(
    [...byTest].flatMap(([test, [first]]) =>
      first === undefined ? [] : [[test, { request: first.request, diff: first.diff }] as const],
    ),
  )
}
