import type { Variation } from '../assumptions/variations.ts'
import type { Terminal } from './terminal.ts'
import type { Tried } from './vary-report.ts'

/** Says on standard error how far the runs are: which ones go on, how the others ended, and the time left. */
export type VaryProgress = {
  readonly begins: (variation: Variation) => void
  readonly ends: (tried: Tried) => void
}

export const varyProgress = (
  planned: number,
  firstMilliseconds: number,
  jobs: number,
  { error, interactive }: Pick<Terminal, 'error' | 'interactive'>,
): VaryProgress => {
  let begun = 0
  let ended = 0
  let spent = 0
  error(`As it is: passed in ${inSeconds(firstMilliseconds)}. ${planned} variations to try.\n`)

  const left = (): string => {
    const each = ended === 0 ? firstMilliseconds : spent / ended
    return `about ${inSeconds((each * (planned - ended)) / jobs)} left`
  }
  // At a terminal one line that changes is enough; elsewhere each line stays.
  const clear = interactive ? '\r\u001B[K' : ''
  return {
    begins({ name }) {
      begun++
      if (interactive) error(`${clear}run ${begun} of ${planned}  ${shorten(name)}  (${left()})`)
    },
    ends({ variation, passed, ending, milliseconds }) {
      ended++
      spent += milliseconds
      const result = passed ? 'passed' : `failed: ${ending}`
      if (!interactive || !passed)
        error(
          `${clear}run ${ended} of ${planned}  ${shorten(variation.name)}  ${result}  ${inSeconds(milliseconds)}  (${left()})\n`,
        )
      if (interactive && ended === planned) error(clear)
    },
  }
}

const shorten = (name: string): string => (name.length > 60 ? `${name.slice(0, 59)}…` : name)

const inSeconds = (milliseconds: number): string => {
  const seconds = milliseconds / 1000
  return seconds < 90 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${Math.round(seconds / 60)} min`
}
