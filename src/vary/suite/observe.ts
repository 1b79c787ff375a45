import type { Assumptions } from '../../core/assumptions/registry.ts'
import type { ChangedExchange } from '../evidence/changed-exchange.ts'
import type { Alternative, EvidenceLine } from '../evidence/evidence-log.ts'
import type { ServePlan } from '../evidence/serve-plan.ts'
import type { Evidence, Sighting } from './read-evidence.ts'
import type { Ignored } from './read-lines.ts'
import type { SuiteEnd } from './run-suite.ts'
import type { TestResult } from './test-result.ts'

/** An alternative as text, such as `list.order=newest`. */
export type AlternativeKey = string

/** Identifies a test: its file and its name. */
export type TestId = string

/** Stands for the whole command, which fails or passes where no test is known. */
export const wholeCommand: TestId = ''

/** A run to do. */
export type PlannedRun = Pick<Observation, 'set' | 'files'> & {
  /** The services that the mocks serve instead of their own. */
  readonly served?: ServePlan
}

/** A run that has taken place, with its evidence. */
export type SuiteRun = PlannedRun &
  SuiteEnd & {
    /** The file with the output of the command. */
    readonly output: string
    readonly evidence: Pick<Evidence, 'exchanges' | 'sightings' | 'fixed'>
    readonly differences: readonly TestDifferences[]
    /** The tests that ran; `undefined` when they are not known. */
    readonly tests: readonly TestResult[] | undefined
    /** Whether it is known when each test ran. */
    readonly areTimed: boolean
    /** Name and version of the packages whose programs were started. */
    readonly programs: readonly string[]
    /** Lines of evidence that neither a mock nor a runner wrote. */
    readonly ignored: readonly Ignored[]
  }

/** One run of a test suite, as far as the planner is concerned. */
export type Observation = {
  /** The alternatives that were in force; none for a run without changes. */
  readonly set: readonly AlternativeKey[]
  /** The test files that ran; `undefined` for all. */
  readonly files: readonly string[] | undefined
  readonly failed: ReadonlySet<TestId>
  readonly passed: ReadonlySet<TestId>
  /** The alternatives that would change a response to a test. One that was set belongs to a test if a response depends on it. */
  readonly visible: ReadonlyMap<TestId, ReadonlySet<AlternativeKey>>
}

/** The assumption of an alternative: `list.order` of `list.order=newest`. */
export const idIn = (key: AlternativeKey): string => key.slice(0, key.indexOf('='))

export const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((key) => b.includes(key))

export type Lookout = {
  readonly set: readonly AlternativeKey[]
  readonly keysOf: (sighting: Pick<Sighting, 'alternatives'>) => readonly AlternativeKey[]
}

type Values = Pick<Lookout, 'set'> & {
  readonly base: Assumptions
  /** The alternatives to be tried in all. */
  readonly planned: readonly AlternativeKey[]
  /** The values that the mocks compared, as they count them. */
  readonly compared: readonly Alternative[]
}

/**
 * Joins what a run showed: which tests failed, and which alternatives are visible in which test.
 * @param expected The tests that ought to have run; one that is missing from a failed run failed.
 */
export const observe = (
  { passed, files, evidence, tests, areTimed }: Pick<SuiteRun, 'passed' | 'files' | 'evidence' | 'tests' | 'areTimed'>,
  { set, keysOf }: Lookout,
  expected: readonly TestId[] = [],
): Observation => {
  const keysIn = (sightings: readonly Sighting[]): ReadonlySet<AlternativeKey> => new Set(sightings.flatMap(keysOf))
  const all = keysIn(evidence.sightings)
  const ran = (tests ?? []).filter(({ outcome }) => outcome !== 'skipped')
  const failedTests = ran.filter(({ outcome, wasFlaky }) => outcome === 'failed' && !wasFlaky).map(({ id }) => id)
  const known = new Set(ran.map(({ id }) => id))
  const missing = passed || failedTests.length === 0 ? [] : expected.filter((id) => !known.has(id))
  // A pipe or a script may hide the exit code of a runner.
  const failed = new Set([...failedTests, ...missing])
  const passing = [...ran.map(({ id }) => id), ...(passed ? expected : [])].filter((id) => !failed.has(id))
  const sightings = areTimed && tests !== undefined ? linesByTest(ran, evidence.sightings) : undefined
  const visible = new Map<TestId, ReadonlySet<AlternativeKey>>(
    ran.map(({ id }) => [id, sightings === undefined ? all : keysIn(sightings.get(id) ?? [])]),
  )
  // Exchanges after the last test, such as those of a second command, belong to the command.
  const ofCommand = sightings === undefined ? all : keysIn(sightings.get(wholeCommand) ?? [])
  visible.set(wholeCommand, ofCommand)
  // A command may fail although no test did: while it loads, or because of its coverage.
  if (!passed && (failed.size === 0 || ofCommand.size > 0)) failed.add(wholeCommand)
  return { set, files, failed, passed: new Set(passed ? [...passing, wholeCommand] : passing), visible }
}

export const keyOf = ({ id, value }: Alternative): AlternativeKey => `${id}=${value}`

/**
 * Looks for values of assumptions. Where one is in force, it was visible if its assumption would have shown with the value
 * of the base.
 */
export const lookForValues = ({ base, set, planned, compared }: Values): Lookout => {
  const inForce = new Map(set.map((key) => [idIn(key), key]))
  return {
    set,
    keysOf({ alternatives }) {
      if (alternatives === 'all') return [...set, ...planned.filter((key) => !inForce.has(idIn(key)))]
      return alternatives.flatMap((index) => {
        const alternative = compared[index]
        if (alternative === undefined) return []
        const active = inForce.get(alternative.id)
        if (active !== undefined) return alternative.value === base[alternative.id] ? [active] : []
        const key = keyOf(alternative)
        return planned.includes(key) ? [key] : []
      })
    },
  }
}

/**
 * The sightings of each test: those in the same file or process, where these are known, and while the test ran. An
 * exchange outside of all tests, such as in a hook, may matter to every later test of its process; without one, it belongs
 * to the command.
 */
export const linesByTest = <Line extends Pick<EvidenceLine, 'pid' | 'since' | 'at' | 'file'>>(
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
    const owners = during.length > 0 ? during : near.filter(({ start }) => sighting.at <= start)
    for (const id of owners.length > 0 ? owners.map((test) => test.id) : [wholeCommand]) byTest.get(id)?.push(sighting)
  }
  return byTest
}

/** All times are whole milliseconds of one clock, so that an exchange may also count for a test that ended just before. */
const isDuring = ({ since, at }: Pick<EvidenceLine, 'since' | 'at'>, { start, end }: TestResult): boolean =>
  since <= end && at >= start

/** An exchange of a test whose response differs because of one assumption or mutant. */
export type TestDifferences = {
  readonly test: TestId
  /** The assumption or mutant. */
  readonly id: string
  readonly first: ChangedExchange
}

/** The differences of a run by test; without known tests, those of the command. */
export const differencesByTest = (
  differences: Evidence['differences'],
  { tests, areTimed }: Pick<SuiteRun, 'tests' | 'areTimed'>,
): readonly TestDifferences[] => {
  const byTest =
    areTimed && tests !== undefined ? linesByTest(tests, differences) : new Map([[wholeCommand, differences]])
  return [...byTest].flatMap(([test, lines]) =>
    [...new Set(lines.map(({ id }) => id))].flatMap((id) => {
      const first = lines.find((line) => line.id === id)
      if (first === undefined) return []
      const { request, diff } = first
      return [{ test, id, first: { request, diff } }]
    }),
  )
}
