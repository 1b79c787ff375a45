import { createGroups } from '../../../src/vary/search/groups.ts'
import { judgeTrials, type Search } from '../../../src/vary/search/trials.ts'
import {
  type Observation,
  observe,
  type PlannedRun,
  type Serve,
  type SuiteRun,
  wholeCommand,
} from '../../../src/vary/suite/observe.ts'
import type { Sighting } from '../../../src/vary/suite/read-evidence.ts'

/** A test of a simulated suite. Tests of a file run one after another, and meet the changes that their file is served. */
export type SimulatedTest = {
  readonly name: string
  readonly file: string
  /** The changes that alter a reply to it, and whether each makes it fail. */
  readonly meets: Readonly<Record<string, boolean>>
  /** Changes that make it fail when this file has them: they are in a variable, or in what is stored elsewhere. */
  readonly dependsOn?: { readonly file: string; readonly keys: readonly string[] }
}

export type Simulation = {
  readonly tests: readonly SimulatedTest[]
  readonly keys: readonly string[]
  /** Whether the mocks are in the test processes, so that each knows its test file. Default: true. */
  readonly isFileKnown?: boolean
  /** Whether the files share the variables of a process. Default: false. */
  readonly isOneProcess?: boolean
  /** Whether a test fails in a run for no reason of its own. @param run From 1 on, after the first run. */
  readonly flakes?: (test: string, run: number, planned: PlannedRun) => boolean
  /** How a run ends. Default: as its tests do. */
  readonly end?: (
    serve: Serve,
    run: number,
    result: SuiteRun,
  ) => Partial<Pick<SuiteRun, 'passed' | 'timedOut' | 'tests'>>
  /** How many runs take place before the search is stopped. Default: all. */
  readonly stopsAfter?: number
  /** The tests that do not run. */
  readonly skips?: (test: SimulatedTest, failed: readonly SimulatedTest[], planned: PlannedRun) => boolean
  /** Whether no response shows a change that is served. Default: each does. */
  readonly hides?: (test: string, key: string) => boolean
}

type Options = Partial<Pick<Search, 'needsOneFailure' | 'jobs' | 'onPlan'>>

const idOf = ({ file, name }: SimulatedTest): string => `${file} ${name}`

/** Judges the changes of a simulated suite. */
export const judge = async (simulation: Simulation, options: Options = {}) => {
  const {
    tests,
    keys,
    isFileKnown = true,
    isOneProcess = false,
    flakes,
    end,
    skips,
    hides,
    stopsAfter = Number.POSITIVE_INFINITY,
  } = simulation
  const fileOf = (id: string): string => id.split(' ')[0] ?? ''
  const planned: PlannedRun[] = []

  const servedTo = (serve: Serve, file: string): readonly string[] => serve[file] ?? serve['*'] ?? []

  const runSuite = ({ serve, files }: PlannedRun, run: number): SuiteRun => {
    const isFirst = Object.keys(serve).length === 0
    const failed: SimulatedTest[] = []
    const ran = tests.filter((test) => {
      if (files?.includes(test.file) === false || skips?.(test, failed, { serve, files })) return false
      const { file, meets, dependsOn } = test
      const own = servedTo(serve, file)
      const others = dependsOn === undefined ? [] : servedTo(serve, dependsOn.file)
      const fails =
        own.some((key) => meets[key]) ||
        others.some((key) => dependsOn?.keys.includes(key)) ||
        flakes?.(idOf(test), run, { serve, files }) === true
      if (fails) failed.push(test)
      return true
    })
    const sightings = ran.flatMap((test): Sighting[] => {
      const own = servedTo(serve, test.file)
      const shown = Object.keys(test.meets).filter(
        (key) => isFirst || (own.includes(key) && hides?.(idOf(test), key) !== true),
      )
      const at = 10 * tests.indexOf(test) + 5
      const realm = isOneProcess || !isFileKnown ? 'one' : test.file
      const place = { pid: 1, since: at, at, realm, ...(isFileKnown && { file: test.file }) }
      return shown.length === 0 ? [] : [{ type: 'visible', changes: shown.map((key) => keys.indexOf(key)), ...place }]
    })
    const results = ran.map((test) => {
      const start = 10 * tests.indexOf(test)
      const outcome = failed.includes(test) ? ('failed' as const) : ('passed' as const)
      return { id: idOf(test), name: test.name, file: test.file, outcome, start, end: start + 9 }
    })
    const result: SuiteRun = {
      serve,
      files,
      passed: failed.length === 0,
      outcome: '',
      milliseconds: 1,
      output: '',
      evidence: { exchanges: 1, sightings, fixed: new Set() },
      differences: [],
      tests: results,
      areTimed: true,
      programs: [],
      ignored: [],
    }
    return isFirst ? result : { ...result, ...end?.(serve, run, result) }
  }

  const first = runSuite({ serve: {}, files: undefined }, 0)
  const groups = createGroups(first, fileOf)
  const run = async (next: PlannedRun): Promise<Observation | undefined> => {
    if (planned.length >= stopsAfter) return undefined
    planned.push(next)
    return observe(runSuite(next, planned.length), keys)
  }
  const { verdicts, flaky } = await judgeTrials({
    keys,
    unchanged: [observe(first, keys)],
    groups,
    filesOf: (ids) => (ids.includes(wholeCommand) ? undefined : [...new Set(ids.map(fileOf))]),
    run,
    jobs: 1,
    ...options,
  })
  return {
    verdicts,
    statuses: Object.fromEntries(verdicts.map(({ key, status }) => [key, status])),
    reasons: Object.fromEntries(verdicts.map(({ key, reason }) => [key, reason])),
    failing: Object.fromEntries(verdicts.map(({ key, failing }) => [key, [...failing].sort()])),
    flaky: [...flaky],
    planned,
    groups,
  }
}

/** The tests that fail when the whole suite has nothing but this change. */
export const failingAlone = ({ tests }: Simulation, key: string): readonly string[] =>
  tests
    .filter(({ meets, dependsOn }) => meets[key] === true || dependsOn?.keys.includes(key) === true)
    .map(idOf)
    .sort()

/** The number of changes that the busiest group of tests meets, by the names of groups. */
export const busiest = ({ tests }: Simulation, groupOf: (test: SimulatedTest) => string): number => {
  const met = new Map<string, Set<string>>()
  for (const test of tests) {
    const known = met.get(groupOf(test)) ?? new Set()
    met.set(groupOf(test), new Set([...known, ...Object.keys(test.meets)]))
  }
  return Math.max(0, ...[...met.values()].map(({ size }) => size))
}
