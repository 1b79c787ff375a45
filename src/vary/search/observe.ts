import type { TestRun } from '../suite/test-run.ts'
import { type AlternativeKey, type Observation, type TestId, wholeCommand } from './observation.ts'
import type { Evidence, Sighting } from './read-evidence.ts'
import { alternativesIn, type Lookout, sightingsByTest } from './visible-in.ts'

/** One run of the suite, as its parts saw it. */
export type RunRecord = {
  /** Whether the command succeeded. */
  readonly passed: boolean
  readonly files: readonly string[] | undefined
  readonly evidence: Evidence
  /** The tests that ran; `undefined` when they are not known. */
  readonly tests: readonly TestRun[] | undefined
  /** Whether the times of the tests are known. */
  readonly areTimed: boolean
}

/**
 * Joins what a run showed: which tests failed, and which alternatives are visible in which test.
 * @param expected The tests that ought to have run; one that is missing from a failed run failed.
 */
export const observe = (
  { passed, files, evidence, tests, areTimed }: RunRecord,
  lookout: Lookout,
  expected: readonly TestId[] = [],
): Observation => {
  const { set } = lookout
  const keysIn = (sightings: readonly Sighting[]): ReadonlySet<AlternativeKey> =>
    new Set(sightings.flatMap((sighting) => alternativesIn(sighting, lookout)))
  const all = keysIn(evidence.sightings)
  const ran = (tests ?? []).filter(({ outcome }) => outcome !== 'skipped')
  const failedTests = ran.filter(({ outcome, wasFlaky }) => outcome === 'failed' && !wasFlaky).map(({ id }) => id)
  const known = new Set(ran.map(({ id }) => id))
  const missing = passed || failedTests.length === 0 ? [] : expected.filter((id) => !known.has(id))
  // A pipe or a script may hide the exit code of a runner.
  const failed = new Set([...failedTests, ...missing])
  const passing = [...ran.map(({ id }) => id), ...(passed ? expected : [])].filter((id) => !failed.has(id))
  const sightings = areTimed && tests !== undefined ? sightingsByTest(ran, evidence.sightings) : undefined
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
