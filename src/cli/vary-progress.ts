import type { Variation } from '../assumptions/variations.ts'
import { eraseLine } from '../util/terminal.ts'
import { plural, shorten } from '../util/words.ts'
import type { Terminal } from './terminal.ts'
import type { VariationResult } from './vary-report.ts'

/** Reports on standard error which variations run, the results of the others, and the remaining time. */
export type VaryProgress = {
  readonly started: (variation: Variation) => void
  readonly ended: (result: VariationResult) => void
}

/** In characters. */
const maxNameLength = 60

/**
 * @param planned The number of variations.
 * @param baseline The duration of the baseline run, in milliseconds.
 * @param jobs The number of parallel runs.
 */
export const varyProgress = (
  planned: number,
  baseline: number,
  jobs: number,
  { error, interactive }: Pick<Terminal, 'error' | 'interactive'>,
): VaryProgress => {
  let startedRuns = 0
  let endedRuns = 0
  let spent = 0
  error(`Baseline passed in ${duration(baseline)}. Trying ${plural(planned, 'variation')}.\n`)

  const remaining = (): string => {
    const average = endedRuns === 0 ? baseline : spent / endedRuns
    return `about ${duration((average * (planned - endedRuns)) / jobs)} left`
  }
  // A terminal shows one line that changes, and the failed runs; other outputs get a line for each run.
  const clear = interactive ? eraseLine : ''
  return {
    started({ name }) {
      startedRuns++
      const text = `run ${startedRuns} of ${planned}  ${shorten(name, maxNameLength)}  (${remaining()})`
      if (interactive) error(`${clear}${text}`)
    },
    ended({ variation, passed, outcome, milliseconds }) {
      endedRuns++
      spent += milliseconds
      const name = shorten(variation.name, maxNameLength)
      const result = passed ? 'passed' : `failed: ${outcome}`
      if (!interactive || !passed)
        error(
          `${clear}run ${endedRuns} of ${planned}  ${name}  ${result}  ${duration(milliseconds)}  (${remaining()})\n`,
        )
      if (interactive && endedRuns === planned) error(clear)
    },
  }
}

const duration = (milliseconds: number): string => {
  const seconds = milliseconds / 1000
  return seconds < 90 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${Math.round(seconds / 60)} min`
}
