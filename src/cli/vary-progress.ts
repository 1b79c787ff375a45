import type { Variation } from '../assumptions/variations.ts'
import { eraseLine } from '../util/terminal.ts'
import { plural, shorten } from '../util/words.ts'
import type { Terminal } from './command.ts'
import type { VariationResult } from './vary-report.ts'

/** In characters. */
const maxNameLength = 60

/**
 * Reports on standard error which variations run, their results, and the remaining time. A terminal shows one line that
 * changes, and the failed runs; other outputs get a line for each run.
 * @param planned The number of variations.
 * @param baseline The duration of the baseline run, in milliseconds.
 * @param jobs The number of parallel runs.
 */
export const varyProgress = (planned: number, baseline: number, jobs: number, { error, interactive }: Terminal) => {
  let startedRuns = 0
  let endedRuns = 0
  let spent = 0
  const clear = interactive ? eraseLine : ''
  const line = (run: number, { name }: Variation, result = ''): string => {
    const average = endedRuns === 0 ? baseline : spent / endedRuns
    const remaining = duration((average * (planned - endedRuns)) / jobs)
    return `${clear}run ${run} of ${planned}  ${shorten(name, maxNameLength)}  ${result}(about ${remaining} left)`
  }
  error(`Baseline passed in ${duration(baseline)}. Trying ${plural(planned, 'variation')}.\n`)
  return {
    started(variation: Variation): void {
      startedRuns++
      if (interactive) error(line(startedRuns, variation))
    },
    ended({ variation, passed, outcome, milliseconds }: VariationResult): void {
      endedRuns++
      spent += milliseconds
      const result = `${passed ? 'passed' : `failed: ${outcome}`}  ${duration(milliseconds)}  `
      if (!interactive || !passed) error(`${line(endedRuns, variation, result)}\n`)
      if (interactive && endedRuns === planned) error(clear)
    },
  }
}

const duration = (milliseconds: number): string => {
  const seconds = milliseconds / 1000
  return seconds < 90 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${Math.round(seconds / 60)} min`
}
