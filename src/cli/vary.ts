import { rm } from 'node:fs/promises'
import type { Assumptions } from '../assumptions/registry.ts'
import { type Variation, type VariationOptions, variations } from '../assumptions/variations.ts'
import { PlantMockError } from '../util/errors.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { exitCodes } from './exit-codes.ts'
import type { Values } from './options.ts'
import type { CommandLine } from './parse.ts'
import type { RunCommand } from './run.ts'
import { runSuite } from './run-suite.ts'
import { openEnvironments, type SuiteEnvironment } from './vary-environments.ts'
import { openOutputFolder } from './vary-output.ts'
import { varyProgress } from './vary-progress.ts'
import { repeatCommand } from './vary-repeat.ts'
import { renderReport, type VariationResult } from './vary-report.ts'

/** The least default timeout of a run, in milliseconds. */
const minTimeout = 60_000

const baselineVariation: Variation = { name: 'baseline', assume: {} }

/** `plant-mock vary -- COMMAND`: runs a test suite without changes, then under each variation. */
export const vary: RunCommand = async (line, terminal) => {
  const { values, rest: command } = line
  checkUse(line)
  const { assumptions: base } = await assumptionsOf(line, terminal.environment)
  const planned = planVariations(values, base)
  const { jobs = 1, reporter = 'text' } = values
  const stop = new AbortController()
  terminal.onStop(() => stop.abort())
  const began = performance.now()
  const folder = await openOutputFolder(values.output)
  const environments = await openEnvironments(values, base, terminal.environment, Math.min(jobs, planned.length))
  const run = async (
    suite: SuiteEnvironment,
    variation: Variation,
    timeout: number | undefined,
  ): Promise<VariationResult> => {
    const output = folder.fileFor(variation)
    const environment = await suite.prepare(variation)
    const result = await runSuite({ command, environment, output, timeout, signal: stop.signal })
    if (result.passed) await rm(output)
    const repeat = repeatCommand(line, variation, values.pairs ?? false)
    return { ...result, variation, output: result.passed ? undefined : output, repeat }
  }

  try {
    const given = values.timeout === undefined ? undefined : values.timeout * 1000
    const baseline = await run(environments[0], baselineVariation, given)
    if (!baseline.passed && !stop.signal.aborted)
      throw new PlantMockError(
        `The command fails without variations (${baseline.outcome}). Fix it first. Output: ${baseline.output}`,
      )
    const progress = varyProgress(planned.length, baseline.milliseconds, jobs, terminal)
    const timeout = given ?? Math.max(minTimeout, 10 * baseline.milliseconds)
    const results = await runAll(planned, environments, stop.signal, async (suite, variation) => {
      progress.started(variation)
      const result = await run(suite, variation, timeout)
      if (!stop.signal.aborted) progress.ended(result)
      return result
    })
    const report = { command, results, planned: planned.length, milliseconds: performance.now() - began }
    terminal.out(renderReport(report, reporter, terminal.colour))
    if (stop.signal.aborted) return exitCodes.interrupted
    return results.some(({ passed }) => !passed) ? exitCodes.failure : exitCodes.success
  } finally {
    await Promise.all(environments.map(({ close }) => close()))
    await folder.close()
  }
}

const checkUse = ({ values, rest }: CommandLine): void => {
  if (rest.length === 0)
    throw new PlantMockError('The test command is missing. Put it after --: plant-mock vary -- npm test')
  if (values.port !== undefined && values.port !== 0 && (values.jobs ?? 1) > 1)
    throw new PlantMockError('--port and --jobs exclude each other: each job has its own server. Remove one of them.')
}

const planVariations = ({ pairs = false, thorough = false, only }: Values, base: Assumptions): readonly Variation[] => {
  const planned = variations({
    cover: pairs ? 'pairs' : 'each',
    thorough,
    ...(only !== undefined && { only: only as NonNullable<VariationOptions['only']> }),
    base,
  })
  if (planned.length > 0) return planned
  throw new PlantMockError('Nothing to vary: --only names no alternative to the current assumptions.')
}

/**
 * Runs the variations, one at a time in each environment.
 * @returns The results in the order of the variations; without those that the signal stopped.
 */
const runAll = async (
  planned: readonly Variation[],
  environments: readonly SuiteEnvironment[],
  signal: AbortSignal,
  run: (suite: SuiteEnvironment, variation: Variation) => Promise<VariationResult>,
): Promise<readonly VariationResult[]> => {
  const results: (VariationResult | undefined)[] = []
  const queue = [...planned.entries()]
  const work = async (suite: SuiteEnvironment): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
      const [index, variation] = next
      const result = await run(suite, variation)
      if (!signal.aborted) results[index] = result
    }
  }
  await Promise.all(environments.map(work))
  return results.filter((result) => result !== undefined)
}
