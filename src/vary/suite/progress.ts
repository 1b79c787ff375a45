import { shellWord } from '../../util/shell.ts'
import { eraseLine } from '../../util/terminal.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import type { PlannedRun, SuiteRun } from './observe.ts'
import type { SuiteRequest } from './suite-request.ts'

const maxNameLength = 60
const maxFilesLength = 400

export const suiteProgress = (
  { log, interactive }: Pick<SuiteRequest, 'log' | 'interactive'>,
  noun: 'alternative' | 'mutant',
) => {
  let runs = 1
  const clear = interactive ? eraseLine : ''
  const nameOf = ({ keys, repeats, isReversed }: PlannedRun): string => {
    if (keys.length > 0) return shorten(keys.join(' '), maxNameLength)
    if (isReversed) return `no ${noun}, tests in reverse order`
    return repeats === undefined ? `no ${noun}` : `each test under its ${noun}s`
  }
  const describe = (number: number, planned: PlannedRun): string => `${clear}run ${number}  ${nameOf(planned)}`
  const began = performance.now()
  return {
    waiting: (): void => log(`${clear}Baseline: ${duration(performance.now() - began)}${interactive ? '' : '\n'}`),
    began(
      { milliseconds, tests, evidence: { exchanges } }: Pick<SuiteRun, 'milliseconds' | 'tests' | 'evidence'>,
      { exercised, repeated, planned, jobs }: Readonly<Record<'exercised' | 'repeated' | 'planned' | 'jobs', number>>,
      near: readonly string[],
    ): void {
      const suite = tests === undefined ? 'Baseline passed' : `Baseline passed: ${plural(tests.length, 'test')}`
      log(`${clear}${suite}, ${plural(exchanges, 'exchange')}, ${duration(milliseconds)}.\n`)
      const repeats = repeated > 0 ? 2 : 0
      const whole = exercised - repeated
      const time = duration((Math.ceil(whole / jobs) + repeats) * milliseconds)
      const cost =
        exercised === 0 ? 'no further run' : `${whole + repeats} to ${2 * exercised + repeats + 1} runs, about ${time}`
      log(`${exercised} of ${plural(planned, noun)} to try: ${cost}.\n`)
      const files = new Set(tests?.map(({ file }) => file)).size
      if (near.length > 0 && 2 * near.length <= files)
        log(
          `Only ${near.length} of ${files} test files exercise ${noun}s. A command with these files alone is faster: ${shorten(near.map(shellWord).join(' '), maxFilesLength)}\n`,
        )
    },
    started(planned: PlannedRun): number {
      runs++
      if (interactive) log(describe(runs, planned))
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
