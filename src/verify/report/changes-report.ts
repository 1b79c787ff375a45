import { type JunitCase, renderJunit } from '../../util/junit.ts'
import { type Paint, plain, printable, printableJson, type Style, testTexts } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { type Change, describeChange, type JudgedChange, type Together } from '../read/change.ts'
import { type Comparison, isNewlyBroken, type RuleChange } from '../read/learned.ts'

/** The comparison of two observations of a service, and what a suite makes of it. */
export type Drift = Pick<Comparison, 'refinements'> & {
  readonly changes: readonly JudgedChange[]
  /** Set where a suite was run. */
  readonly together?: readonly Together[]
}

/** With the reason and the request where a check of a service has shown the rule as broken. */
export type FileDrift = Drift & { readonly rules: readonly ShownRule[] }

/** The part of a comparison that its verdict is about. */
type Judged = Pick<Drift, 'changes'> & { readonly together?: Drift['together'] | undefined }

/** Whether a change breaks a test, or may do so; without a suite, whether there is a change. */
export const isAlarming = ({ changes, together }: Judged): boolean =>
  together === undefined
    ? changes.some(isCompared)
    : together.length > 0 || changes.some((change) => isBreaking(change) || change.notJudged !== undefined)

/** A newly broken rule fails itself; the changes that depend on it add nothing. */
const isCompared = ({ brokenRule }: Change): boolean => brokenRule === undefined

const isBreaking = ({ breaks = [], breaksCommand }: JudgedChange): boolean =>
  breaks.length > 0 || breaksCommand !== undefined

/**
 * Renders a comparison of two descriptions of the service.
 * @param format As for `renderConformance`.
 * @param paint As for `renderConformance`.
 */
export const renderDrift = (drift: FileDrift, format: 'text' | 'json' | 'junit' = 'text', paint = plain): string => {
  if (format === 'json') return `${printableJson(drift, 2)}\n`
  if (format === 'junit')
    return renderJunit([
      { name: 'rules', cases: drift.rules.map(ruleCase) },
      { name: 'expected assumptions', cases: drift.changes.map(changeCase) },
    ])
  return [fileVerdict(drift, paint), ...brokenText(drift.rules, true, paint), ...driftText(drift, paint), ''].join('\n')
}

const fileVerdict = (drift: FileDrift, paint: Paint): string => {
  const broken = drift.rules.filter(isNewlyBroken).length
  const rules =
    broken === 0 ? '' : `${plural(broken, 'rule')} of the contract ${broken === 1 ? 'is' : 'are'} newly broken. `
  const style = broken > 0 ? 'red' : isAlarming(drift) ? 'yellow' : 'green'
  return paint(style, `${rules}${driftVerdict(drift)}`)
}

export type ShownRule = RuleChange & { readonly reason?: string; readonly curl?: string }

export const ruleCase = (rule: ShownRule): JunitCase => {
  const { id, section, statement, outcome, wasBroken, reason = statement, curl = '' } = rule
  return {
    classname: cite(section),
    name: `${id}: ${statement}`,
    ...(outcome === 'skipped' && { skipped: reason }),
    ...(outcome === 'advised' && { output: `advice: ${reason}\n${curl}` }),
    ...(outcome === 'failed' &&
      (wasBroken ? { skipped: `still broken: ${reason}` } : { failure: { message: reason, text: curl } })),
  }
}

/** The class name of test cases about a section. */
export const cite = (section: string): string => `contract ${section}`.trim()

/** The broken and repaired rules, in sections that begin with an empty line. */
export const brokenText = (rules: readonly ShownRule[], isCompared: boolean, paint: Paint): readonly string[] => {
  const section = (title: string, style: Style, isMeant: (rule: ShownRule) => boolean): readonly string[] => {
    const lines = rules.filter(isMeant).flatMap((rule) => ruleText(rule, paint, style))
    return titled(title, lines, paint)
  }
  return [
    ...section(isCompared ? 'Newly broken' : 'Broken', 'red', isNewlyBroken),
    ...section('Still broken', 'red', ({ outcome, wasBroken = false }) => wasBroken && outcome === 'failed'),
    ...section('Repaired', 'green', ({ outcome, wasBroken = false }) => wasBroken && outcome === 'passed'),
  ]
}

export const ruleText = (rule: ShownRule, paint: Paint, style: Style): readonly string[] => {
  const { id, section, statement, outcome, reason, curl } = rule
  return [
    `  ${paint(style, id)}: ${statement}${citation(section)}`,
    ...(outcome === 'passed' || reason === undefined ? [] : [`    ${printable(reason)}`]),
    ...(outcome === 'passed' || curl === undefined ? [] : [`    ${curl}`]),
  ]
}

export const citation = (section: string): string => (section === '' ? '' : ` (contract ${section})`)

export const titled = (title: string, lines: readonly string[], paint: Paint): readonly string[] =>
  lines.length === 0 ? [] : ['', paint('bold', title), ...lines]

export const driftVerdict = ({ changes, together }: Judged): string => {
  const compared = changes.filter(isCompared)
  const ended = changes.length - compared.length
  const rest = ended === 0 ? '' : ` ${plural(ended, 'change')} ${ended === 1 ? 'is' : 'are'} not compared.`
  return `${comparedVerdict({ changes: compared, together })}${rest}`
}

const comparedVerdict = ({ changes, together }: Judged): string => {
  if (changes.length === 0) return 'No change was seen.'
  const all = plural(changes.length, 'change')
  if (together === undefined) return `${all} ${changes.length === 1 ? 'was' : 'were'} seen.`
  const breaking = changes.filter(isBreaking).length
  const unknown = changes.filter(({ notJudged }) => notJudged !== undefined).length
  return [
    breaking > 0
      ? `${breaking} of ${all} ${breaking === 1 ? 'breaks' : 'break'} tests.`
      : together.length > 0
        ? `Of ${all}, none breaks a test alone, but some do together.`
        : `Of ${all}, none ${unknown > 0 ? 'is known to break' : 'breaks'} a test.`,
    ...(unknown === 0 ? [] : [`${unknown} ${unknown === 1 ? 'is' : 'are'} not judged.`]),
  ].join(' ')
}

export const driftText = ({ changes, refinements, together = [] }: Drift, paint: Paint): readonly string[] => {
  const section = (title: string, shown: readonly JudgedChange[]): readonly string[] => {
    const lines = shown.flatMap((change) => changeText(change, paint))
    return titled(title, lines, paint)
  }
  const compared = changes.filter(isCompared)
  const ended = changes.filter((change) => !isCompared(change))
  const joint = together.flatMap(({ ids, breaks }) => [`  ${paint('red', ids.join(' with '))}`, ...testTexts(breaks)])
  const known = refinements.filter(({ id }) => !changes.some((change) => change.id === id))
  return [
    ...section('Changed', [...compared.filter(isBreaking), ...compared.filter((change) => !isBreaking(change))]),
    ...section('Not compared, because a rule that it depends on is newly broken', ended),
    ...titled('Break tests only together', joint, paint),
    ...section('Now known, and no change; --learn writes it', known),
  ]
}

const changeText = (change: JudgedChange, paint: Paint): readonly string[] => {
  const { id, section, breaks = [], repeat } = change
  const consequence = consequenceText(change)
  return [
    `  ${paint(isBreaking(change) ? 'red' : 'yellow', id)}: ${printable(describeChange(change))}${citation(section)}${consequence === undefined ? '' : ` — ${consequence}`}`,
    ...testTexts(breaks),
    ...(isBreaking(change) && repeat !== undefined ? [`    Repeat  ${repeat}`] : []),
  ]
}

/** @returns `undefined` where nothing more is known than the change. */
const consequenceText = (change: JudgedChange): string | undefined => {
  const { breaks, breaksCommand, metBy, notMet, notJudged, brokenRule } = change
  if (brokenRule !== undefined) return `the rule ${brokenRule} is broken`
  if (notJudged !== undefined) return `not judged: ${notJudged}`
  if (breaks === undefined) return undefined
  if (breaks.length > 0) return `breaks ${plural(breaks.length, 'test')}`
  if (breaksCommand !== undefined) return `breaks the command (${breaksCommand})`
  if (notMet) return 'no test would see it'
  return metBy ? `met by ${plural(metBy, 'test')}, breaks none` : 'breaks none'
}

/** A change is a failure unless it is known to break no test. */
export const changeCase = (change: JudgedChange): JunitCase => {
  const { id, section, breaks = [] } = change
  const consequence = consequenceText(change)
  const message = [describeChange(change), ...(consequence === undefined ? [] : [consequence])].join('; ')
  const isHarmless = change.breaks !== undefined && change.notJudged === undefined && !isBreaking(change)
  return {
    classname: cite(section),
    name: id,
    ...(!isCompared(change)
      ? { skipped: `not compared: ${message}` }
      : isHarmless
        ? { output: message }
        : { failure: { message, text: [message, ...testTexts(breaks)].join('\n') } }),
  }
}
