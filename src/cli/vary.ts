import { rm } from 'node:fs/promises'
import type { Assumptions } from '../assumptions/registry.ts'
import { type Variation, type VariationOptions, variations } from '../assumptions/variations.ts'
import { PlantMockError } from '../util/errors.ts'
import { shellWord } from '../util/shell.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { type CommandLine, exitCodes, type RunCommand } from './command.ts'
import type { Values } from './options.ts'
import { runSuite } from './run-suite.ts'
import { openEnvironments, type SuiteEnvironment } from './vary-environments.ts'
import { createOutputFolder, outputFile, removeIfEmpty } from './vary-output.ts'
import { varyProgress } from './vary-progress.ts'
import { renderReport, type VariationResult } from './vary-report.ts'

/** The least default timeout of a run, in milliseconds. */
const minTimeout = 60_000

/** `plant-mock vary -- COMMAND`: runs a test suite without changes, then under each variation. */
export const vary: RunCommand = async (line, terminal) => {
  const { values, rest: command } = line
  checkUse(line)
  const { assumptions: base } = await assumptionsOf(line, terminal)
  const planned = planVariations(values, base)
  const { jobs = 1, reporter = 'text' } = values
  const stop = new AbortController()
  const { signal } = stop
  terminal.onStop(() => stop.abort())
  const began = performance.now()
  const folder = await createOutputFolder(values.output)
  const environments = await openEnvironments(values, base, terminal.environment, Math.min(jobs, planned.length))
  const run = async (suite: SuiteEnvironment, variation: Variation, timeout?: number): Promise<VariationResult> => {
    const output = outputFile(folder, variation)
    const environment = await suite.prepare(variation)
    const result = await runSuite({ command, environment, output, timeout, signal })
    if (result.passed) await rm(output)
    const repeat = repeatCommand(line, variation)
    return { ...result, variation, output: result.passed ? undefined : output, repeat }
  }

  try {
    const given = values.timeout === undefined ? undefined : values.timeout * 1000
    const baseline = await run(environments[0], { name: 'baseline', assume: {} }, given)
    if (!baseline.passed && !signal.aborted)
      throw new PlantMockError(
        `The command fails without variations (${baseline.outcome}). Fix it first. Output: ${baseline.output}`,
      )
    const progress = varyProgress(planned.length, baseline.milliseconds, jobs, terminal)
    const timeout = given ?? Math.max(minTimeout, 10 * baseline.milliseconds)
    const results: VariationResult[] = []
    // All environments take from one iterator, each when its previous run has ended.
    const queue = planned.entries()
    const work = async (suite: SuiteEnvironment): Promise<void> => {
      for (const [index, variation] of queue) {
        if (signal.aborted) return
        progress.started(variation)
        const result = await run(suite, variation, timeout)
        if (signal.aborted) return
        progress.ended(result)
        results[index] = result
      }
    }
    await Promise.all(environments.map(work))
    const milliseconds = performance.now() - began
    // `flat` leaves out the holes of variations that did not run to their end.
    const report = { command, results: results.flat(), planned: planned.length, milliseconds }
    terminal.out(renderReport(report, reporter, terminal.colour))
    if (signal.aborted) return exitCodes.interrupted
    return results.some(({ passed }) => !passed) ? exitCodes.failure : exitCodes.success
  } finally {
    await Promise.all(environments.map(({ close }) => close()))
    if (values.output === undefined) await removeIfEmpty(folder)
  }
}

const checkUse = ({ values, rest }: CommandLine): void => {
  if (rest.length === 0)
    throw new PlantMockError('The test command is missing. Put it after --: plant-mock vary -- npm test')
  if (values.port !== undefined && values.port !== 0 && (values.jobs ?? 1) > 1)
    throw new PlantMockError('--port and --jobs exclude each other: each job has its own server. Remove one of them.')
}

const planVariations = ({ pairs, thorough = false, only }: Values, base: Assumptions): readonly Variation[] => {
  const planned = variations({
    cover: pairs ? 'pairs' : 'each',
    thorough,
    ...(only !== undefined && { only: only as NonNullable<VariationOptions['only']> }),
    base,
  })
  if (planned.length > 0) return planned
  throw new PlantMockError('Nothing to vary: --only names no alternative to the current assumptions.')
}

/** Flags that select or report several runs; a repeated run does not need them. */
const flagsOfSeveralRuns = ['pairs', 'thorough', 'only', 'jobs', 'reporter', 'output']

/**
 * The shell command that repeats one variation. A variation of one assumption is selected with `--only`; with
 * `--pairs`, its values are set with `--assume`, so that the baseline run fails.
 */
const repeatCommand = ({ flags, values, rest }: CommandLine, { assume }: Variation): string => {
  const kept = [...flags]
    .filter(([name]) => !flagsOfSeveralRuns.includes(name))
    .flatMap(([name, texts]) => texts.flatMap((text) => flagWords(name, text)))
  const flag = values.pairs ? '--assume' : '--only'
  const selected = Object.entries(assume).flatMap(([id, value]) => [flag, shellWord(`${id}=${value}`)])
  return ['npx', 'plant-mock', 'vary', ...kept, ...selected, '--', ...rest.map(shellWord)].join(' ')
}

/** A token may be a real one, which must not appear on a screen. */
const flagWords = (name: string, text: string): readonly string[] => {
  if (name === 'no-server') return ['--no-server']
  return [`--${name}`, name === 'token' ? '"$TOKEN"' : shellWord(text)]
}
