import { eraseLine } from '../../util/terminal.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import type { PlannedRun, SuiteRun } from './observe.ts'
import type { SuiteRequest } from './suite-request.ts'

/** In characters. */
const maxNameLength = 60

/**
 * Reports on standard error which runs take place, and their results. A terminal shows one line that changes, and the
 * failed runs; other outputs get a line for each run.
 * @param noun What the runs try: alternatives or mutants.
 */
export const suiteProgress = ({ log, interactive }: Pick<SuiteRequest, 'log' | 'interactive'>, noun: string) => {
  let runs = 1
  const clear = interactive ? eraseLine : ''
  const describe = (number: number, { set, files }: PlannedRun): string => {
    const alternatives = set.length === 0 ? `no ${noun}` : shorten(set.join(' '), maxNameLength)
    return `${clear}run ${number}  ${alternatives}${files === undefined ? '' : `  (${plural(files.length, 'file')})`}`
  }
  return {
    /** @param counts How many are planned, and how many of these are visible. */
    began(
      { milliseconds, tests, evidence: { exchanges } }: Pick<SuiteRun, 'milliseconds' | 'tests' | 'evidence'>,
      { visible, planned }: { readonly visible: number; readonly planned: number },
    ): void {
      const suite = tests === undefined ? 'Baseline passed' : `Baseline passed: ${plural(tests.length, 'test')}`
      const seen = `${visible} of ${plural(planned, noun)} would be visible in a response`
      log(`${suite}, ${plural(exchanges, 'exchange')}, ${duration(milliseconds)}. ${seen}.\n`)
    },
    /** @returns The number of the run. */
    started(planned: PlannedRun, further = 0): number {
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
