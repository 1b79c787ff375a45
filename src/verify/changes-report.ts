import { type JunitCase, renderJunit } from '../util/junit.ts'
import { type Paint, painter, printable, printableJson } from '../util/terminal.ts'
import { type ReportedTest, testTexts } from '../util/test-text.ts'
import { plural } from '../util/words.ts'
import type { Change, Comparison } from './learned.ts'

/** What a change of a service does to a test suite; the tests themselves are in `breaks`. */
export type Consequence = {
  /** The tests that fail under this change alone. */
  readonly breaks: readonly ReportedTest[]
  /** How the command ended under this change alone, where it failed and no test is known to. */
  readonly breaksCommand?: string
  /** The number of tests in which a response would differ; `undefined` where that is not known. */
  readonly metBy?: number
  /** Whether no response would differ. */
  readonly notMet: boolean
  /** Why it is not known whether the change breaks a test. */
  readonly notJudged?: string
  /** The shell command that runs the suite under this change. */
  readonly repeat?: string
}

/** Changes that break tests only together. */
export type Together = { readonly ids: readonly string[]; readonly breaks: readonly ReportedTest[] }

/** A change, with its consequence where a suite was run. */
export type JudgedChange = Change & Partial<Consequence>

/** The comparison of two observations of a service, and what a suite makes of it. */
export type Drift = Omit<Comparison, 'changes'> & {
  readonly changes: readonly JudgedChange[]
  /** Set where a suite was run. */
  readonly together?: readonly Together[]
}

/** Whether a change breaks a test, or may do so; without a suite, whether there is a change. */
export const isAlarming = ({ changes, together }: Pick<Drift, 'changes' | 'together'>): boolean =>
  together === undefined
    ? changes.length > 0
    : together.length > 0 || changes.some((change) => isBreaking(change) || change.notJudged !== undefined)

const isBreaking = ({ breaks = [], breaksCommand }: JudgedChange): boolean =>
  breaks.length > 0 || breaksCommand !== undefined

/**
 * Renders a comparison of two files.
 * @param format As for `renderConformance`.
 * @param colour Whether text takes colours. Default: false.
 */
export const renderDrift = (drift: Drift, format: 'text' | 'json' | 'junit' = 'text', colour = false): string => {
  if (format === 'json') return `${printableJson(drift, 2)}\n`
  if (format === 'junit') return renderJunit([{ name: 'expected assumptions', cases: drift.changes.map(changeCase) }])
  return `${driftText(drift, painter(colour)).join('\n')}\n`
}

/** The changes in lines. */
export const driftText = ({ changes, refinements, together = [] }: Drift, paint: Paint): readonly string[] => {
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', title, ...lines]
  const all = [
    ...(changes.length === 0 ? ['', 'Nothing that was seen differs from the expected assumptions.'] : []),
    ...list(
      'Changed',
      changes.flatMap((change) => changeText(change, paint)),
    ),
    ...list(
      'Break tests only together',
      together.flatMap(({ ids, breaks }) => [`  ${paint('red', ids.join(' with '))}`, ...testTexts(breaks)]),
    ),
    ...list(
      'Now known, and no change; --learn writes it',
      refinements.flatMap((change) => changeText(change, paint)),
    ),
  ]
  return all.slice(1)
}

const changeText = (change: JudgedChange, paint: Paint): readonly string[] => {
  const { id, section, was, is, breaks = [], repeat } = change
  const consequence = consequenceText(change)
  return [
    `  ${paint(isBreaking(change) ? 'red' : 'yellow', id)}: was ${printable(was)}, is ${printable(is)}  (${`contract ${section}`.trim()})${consequence === undefined ? '' : ` — ${consequence}`}`,
    ...testTexts(breaks),
    ...(isBreaking(change) && repeat !== undefined ? [`    Repeat  ${repeat}`] : []),
  ]
}

/** @returns `undefined` where no suite was run. */
const consequenceText = ({ breaks, breaksCommand, metBy, notMet, notJudged }: JudgedChange): string | undefined => {
  if (notJudged !== undefined) return `not judged: ${notJudged}`
  if (breaks === undefined) return undefined
  if (breaks.length > 0) return `breaks ${plural(breaks.length, 'test')}`
  if (breaksCommand !== undefined) return `breaks the command (${breaksCommand})`
  if (notMet) return 'no test would see it'
  return metBy ? `met by ${plural(metBy, 'test')}, breaks none` : 'breaks none'
}

/** A change is a failure unless it is known to break no test. */
export const changeCase = (change: JudgedChange): JunitCase => {
  const { id, section, was, is, breaks = [] } = change
  const consequence = consequenceText(change)
  const message = [`was ${was}, is ${is}`, ...(consequence === undefined ? [] : [consequence])].join('; ')
  const isHarmless = change.breaks !== undefined && change.notJudged === undefined && !isBreaking(change)
  return {
    classname: `contract ${section}`.trim(),
    name: id,
    ...(isHarmless ? { output: message } : { failure: { message, text: [message, ...testTexts(breaks)].join('\n') } }),
  }
}
