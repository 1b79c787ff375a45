import { type Assume, type Assumptions, findAssumption } from '../core/assumptions/registry.ts'
import { PlantMockError } from '../util/errors.ts'
import { shellWord } from '../util/shell.ts'
import { printable } from '../util/terminal.ts'
import { shorten } from '../util/words.ts'
import type { Findings, PlannedRun } from '../vary/search/find-causes.ts'
import { type AlternativeKey, type Observation, type TestId, wholeCommand } from '../vary/search/observation.ts'
import { observe } from '../vary/search/observe.ts'
import { summarise } from '../vary/search/summary.ts'
import type { Alternative } from '../vary/shadows/evidence.ts'
import type { CommandLine, RunCliCommand } from './command.ts'
import type { Values } from './options.ts'
import { varyProgress } from './vary-progress.ts'
import { openSuite, type SuiteRun } from './vary-suite.ts'

/** The least default timeout of a run, in milliseconds. */
const minTimeout = 60_000

/** The alternatives to try, by key. */
export type Planned = ReadonlyMap<AlternativeKey, Alternative>

export type SessionOptions = {
  readonly base: Assumptions
  readonly planned: Planned
  readonly output: string
  readonly folder: string
  readonly signal: AbortSignal
  readonly terminal: Parameters<RunCliCommand>[1]
}

/** The runs of one `vary`, with everything that they have in common. */
export const openSession = async (line: CommandLine, options: SessionOptions) => {
  const { values, rest: command } = line
  const { base, planned, output, folder, signal, terminal } = options
  // With the value of the base, a run tells whether an alternative in force was visible.
  const ids = [...new Set([...planned.values()].map(({ id }) => id))]
  const compared = [...planned.values(), ...ids.map((id) => ({ id, value: base[id] }))]
  const given = values.timeout === undefined ? undefined : values.timeout * 1000
  const keys = [...planned.keys()]
  const runs: SuiteRun[] = []
  const fileOf = new Map<TestId, string>()
  let timeout = given
  /** False once a run with a selection ran all files: the command has no runner that takes one. */
  let canSelect = true
  let expected: readonly TestId[] = []
  let progress: ReturnType<typeof varyProgress> | undefined

  const assumeOf = (set: readonly AlternativeKey[]): Assume =>
    Object.fromEntries(set.flatMap((key) => planned.get(key) ?? []).map(({ id, value }) => [id, value]))

  const runOnce = await openSuite({
    command,
    values,
    base,
    compared,
    assumeOf,
    output,
    terminal,
    folder,
    signal,
  })
  const runSet = async (planned: PlannedRun): Promise<SuiteRun> => {
    const run = await runOnce(planned, timeout)
    const { files } = run
    const failed = run.tests?.filter(({ outcome }) => outcome === 'failed')
    // A suite may have many thousand tests and sightings, which no later step reads.
    runs.push({ ...run, tests: failed, evidence: { ...run.evidence, sightings: [] } })
    const ran = new Set(run.tests?.map((test) => test.file))
    if (files === undefined || [...fileOf.values()].some((file) => !ran.has(file))) return run
    canSelect = false
    return { ...run, files: undefined }
  }

  const toObservation = (run: SuiteRun): Observation =>
    observe(
      run,
      { base, set: run.set, planned: keys, compared },
      expected.filter((id) => run.files === undefined || run.files.includes(fileOf.get(id) ?? '')),
    )

  const filesOf = (tests: readonly TestId[]): readonly string[] | undefined => {
    const files = [...new Set(tests.flatMap((id) => fileOf.get(id) ?? []))]
    const isPartial = files.length < new Set(fileOf.values()).size
    const areKnown = canSelect && !tests.includes(wholeCommand) && tests.every((id) => fileOf.has(id))
    return isPartial && areKnown ? files : undefined
  }

  return {
    filesOf,
    fileOf: (test: TestId): string => fileOf.get(test) ?? test,

    /**
     * Runs the suite without alternatives. One that fails is repeated: if it passes then, the tests that failed are flaky.
     * @throws PlantMockError when the suite fails twice, or no request reached a mock.
     */
    async first(): Promise<{ readonly first: Observation; readonly earlier: readonly Observation[] }> {
      const attempt = await runSet({ set: [], files: undefined })
      const failed = attempt.passed || signal.aborted ? undefined : attempt
      const run = failed === undefined ? attempt : await runSet({ set: [], files: undefined })
      if (!run.passed && !signal.aborted)
        throw new PlantMockError(
          `The command fails before anything is changed (${run.outcome}). Fix it first.${failureNames(failed, run)} Output: ${run.output}`,
        )
      if (failed !== undefined)
        terminal.error(
          `The first run failed (${failed.outcome}), and passed when repeated: flaky.${failureNames(failed)}\n`,
        )
      if (run.evidence.exchanges === 0 && !signal.aborted) throw new PlantMockError(noExchange(values, 'first'))
      const tests = run.tests?.filter(({ outcome }) => outcome !== 'skipped') ?? []
      for (const { id, file } of tests) fileOf.set(id, file)
      expected = tests.map(({ id }) => id)
      timeout ??= Math.max(minTimeout, 10 * run.milliseconds)
      const observation = toObservation(run)
      const visible = new Set([...observation.visible.values()].flatMap((seen) => [...seen]))
      progress = varyProgress(terminal)
      progress.began(run, {
        exchanges: run.evidence.exchanges,
        visible: visible.size,
        planned: planned.size,
        tests: run.tests?.length,
      })
      return { first: observation, earlier: failed === undefined ? [] : [toObservation(failed)] }
    },

    async run(next: PlannedRun): Promise<Observation | undefined> {
      if (signal.aborted) return undefined
      const number = progress?.started(next) ?? 0
      const run = await runSet(next)
      if (signal.aborted) return undefined
      progress?.ended(number, next, run)
      if (run.passed && run.evidence.exchanges === 0) throw new PlantMockError(noExchange(values, 'later'))
      return toObservation(run)
    },

    report(findings: Findings, milliseconds: number) {
      progress?.done()
      const fixed = new Set(runs.flatMap(({ evidence }) => [...evidence.fixed]))
      const ignored = runs.flatMap((run) => run.ignored)
      return {
        ...summarise(findings, keys, fixed, runs),
        command,
        base,
        exchanges: sum(runs.map(({ evidence }) => evidence.exchanges)),
        runs: runs.length,
        milliseconds,
        isStopped: signal.aborted,
        areTestsKnown: fileOf.size > 0,
        programs: [...new Set(runs.flatMap(({ programs }) => programs))],
        ignored: ignored[0] && { ...ignored[0], count: sum(ignored.map(({ count }) => count)) },
        assumeOf,
        repeatOf: (set: readonly AlternativeKey[]) => repeatCommand(line, set),
        /** The failed run with the smallest set that contains these alternatives. */
        failedRunOf: (set: readonly AlternativeKey[]): Pick<SuiteRun, 'output' | 'outcome'> | undefined =>
          runs
            .filter(({ passed, set: all }) => !passed && set.every((key) => all.includes(key)))
            .toSorted((a, b) => a.set.length - b.set.length)[0],
        rowOf: (key: AlternativeKey) => findAssumption(planned.get(key)?.id ?? ''),
      }
    },
  }
}

export type VaryReport = ReturnType<Awaited<ReturnType<typeof openSession>>['report']>

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

/** The tests that failed in runs without alternatives; those that did not fail in each are flaky. */
const failureNames = (...runs: readonly (SuiteRun | undefined)[]): string => {
  const failedIn = (run: SuiteRun | undefined): readonly string[] =>
    run?.tests?.flatMap(({ outcome, name }) => (outcome === 'failed' ? [name] : [])) ?? []
  const names = [...new Set(runs.flatMap(failedIn))].map((name) =>
    runs.every((run) => failedIn(run).includes(name)) ? name : `${name} (flaky)`,
  )
  return names.length === 0 ? '' : ` Failed: ${printable(shorten(names.join(', '), maxNamesLength))}.`
}

/** In characters. */
const maxNamesLength = 500

/** Without evidence, a suite that passes says nothing about the client. */
const noExchange = (values: Values, run: 'first' | 'later'): string => {
  const hint = values['no-server']
    ? 'that a mock of plant-mock runs inside the suite'
    : 'that the suite sends its requests to the address in PLANT_MOCK_URL, or has a mock of plant-mock inside'
  const where = `Check ${hint}; that no other handlers reply before those of the mock; and that no address of another mock is fixed in a configuration.`
  return run === 'first'
    ? `No request reached the mock, so there is nothing to test. ${where}`
    : `A later run passed without a request to the mock, which proves nothing: it may be a cached result. Let the command run all tests each time. ${where}`
}

/** Flags that select or report several runs; a repeated run does not need them. */
const flagsOfSeveralRuns = ['each', 'repeat', 'thorough', 'only', 'jobs', 'reporter', 'output']

/** The shell command that tries these alternatives alone. */
const repeatCommand = ({ flags, rest }: CommandLine, set: readonly AlternativeKey[]): string => {
  const kept = [...flags]
    .filter(([name]) => !flagsOfSeveralRuns.includes(name))
    .flatMap(([name, texts]) => texts.flatMap((text) => flagWords(name, text)))
  const selected = set.flatMap((key) => ['--only', shellWord(key)])
  return ['npx', 'plant-mock', 'vary', ...kept, ...selected, '--', ...rest.map(shellWord)].join(' ')
}

/** A token may be a real one, which must not appear on a screen. */
const flagWords = (name: string, text: string): readonly string[] => {
  if (name === 'no-server' || name === 'all') return [`--${name}`]
  return [`--${name}`, name === 'token' ? '"$TOKEN"' : shellWord(text)]
}
