import { eraseLine } from '../../util/terminal.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import type { PlannedRun, SuiteRun } from './observe.ts'
import type { SuiteRequest } from './suite-request.ts'

/** In characters. */
const maxNameLength = 60

/**
 * Reports the progress and results of runs on standard error. A terminal shows one changing line, and the failed runs;
 * other outputs get a line per run.
 * @param noun What the runs try: alternatives or mutants.
 */
export const suiteProgress = ({ log, interactive }: Pick<SuiteRequest, 'log' | 'interactive'>, noun: string) => {
  let runs = 1
  const clear = interactive ? eraseLine : ''
  const describe = (number: number, { keys }: PlannedRun): string =>
    `${clear}run ${number}  ${keys.length === 0 ? `no ${noun}` : shorten(keys.join(' '), maxNameLength)}`
  const began = performance.now()
  return {
    /** Shows that the first run is in progress. */
    waiting: (): void => log(`${clear}Baseline: ${duration(performance.now() - began)}${interactive ? '' : '\n'}`),
    /** @param plan How many changes are exercised: if nothing fails, each needs one run. */
    began(
      { milliseconds, tests, evidence: { exchanges } }: Pick<SuiteRun, 'milliseconds' | 'tests' | 'evidence'>,
      { exercised, planned, jobs }: Readonly<Record<'exercised' | 'planned' | 'jobs', number>>,
    ): void {
      const suite = tests === undefined ? 'Baseline passed' : `Baseline passed: ${plural(tests.length, 'test')}`
      log(`${clear}${suite}, ${plural(exchanges, 'exchange')}, ${duration(milliseconds)}.\n`)
      const time = duration(Math.ceil(exercised / jobs) * milliseconds)
      const cost = exercised === 0 ? 'no further run' : `about ${plural(exercised, 'run')}, ${time}`
      log(`${exercised} of ${plural(planned, noun)} ${exercised === 1 ? 'is' : 'are'} exercised: ${cost}.\n`)
    },
    /** @returns The number of the run. */
    started(planned: PlannedRun, further: number): number {
      runs++
      if (interactive) log(`${describe(runs, planned)}${further === 0 ? '' : `  about ${further} more to go`}`)
      return runs
    },
    ended(number: number, { passed, outcome, milliseconds, ...planned }: SuiteRun): void {
      const result = passed ? 'passed' : `failed: ${outcome}`
      if (!interactive || !passed) log(`${describe(number, planned)}  ${result}  ${duration(milliseconds)}\n`)
    },
    done(): void {
      log(clear)
    },
  }
}

const duration = (milliseconds: number): string => {
  const seconds = milliseconds / 1000
  return seconds < 90 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${Math.round(seconds / 60)} min`
}
