import { type JunitCase, renderJunit } from '../../util/junit.ts'
import { type Finding, renderReport, type Screen, type Section } from '../../util/report.ts'
import { printableJson, type Style, testTexts } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { describeChange, type Effect, type JudgedChange, type ServiceChange } from '../read/change.ts'
import { type Comparison, isNewlyBroken, type RuleChange } from '../read/learned.ts'
import { type Differences, statedOnce } from './compare-learned.ts'

/** The comparison of two observations of a service, and the effect on a suite. */
export type Drift = Pick<Comparison, 'refinements'> & {
  readonly changes: readonly JudgedChange[]
  /** What all changes at once break, and none alone. Present if a suite was run. */
  readonly allAtOnce?: Effect
}

/** All differences between two descriptions. If a check found a broken rule, the rule has a reason and a command. */
export type FileDrift = Drift & Omit<Differences, keyof Drift | 'rules'> & { readonly rules: readonly ShownRule[] }

/** The part of a comparison that decides the verdict. */
type Judged = Pick<Drift, 'changes'> & { readonly allAtOnce?: Effect | undefined }

/** Whether a change breaks or may break a test. Without a suite, whether anything changed. */
export const isAlarming = ({ changes, allAtOnce }: Judged): boolean =>
  allAtOnce === undefined ? changes.some(isCompared) : isBreaking(allAtOnce) || changes.some(mayBreak)

/** Whether a change breaks tests, or is not judged. */
export const mayBreak = (change: JudgedChange): boolean => isBreaking(change) || change.notJudged !== undefined

/** Changes that depend on a newly broken rule are not counted, because the rule itself fails. */
const isCompared = ({ brokenRule }: ServiceChange): boolean => brokenRule === undefined

/** Whether a test or the command fails. */
export const isBreaking = ({ breaks = [], breaksCommand }: Partial<Effect>): boolean =>
  breaks.length > 0 || breaksCommand !== undefined

/** Renders a comparison of two descriptions of the service. @param next The commands to run next. */
export const renderDrift = (
  drift: FileDrift,
  {
    format,
    screen,
    next,
  }: { readonly format: 'text' | 'json' | 'junit'; readonly screen: Screen; readonly next: readonly string[] },
): string => {
  const { points, texts } = statedOnce(drift, drift.allAtOnce !== undefined)
  if (format === 'json') return `${printableJson({ verdict: fileVerdict(drift), ...drift }, 2)}\n`
  if (format === 'junit')
    return renderJunit([
      { name: 'rules', cases: drift.rules.map(ruleCase) },
      { name: 'expected assumptions', cases: [...drift.changes, ...points].map(changeCase) },
      {
        name: 'statements',
        cases: texts.map((name) => ({ classname: 'document', name, failure: { message: name, text: name } })),
      },
    ])
  return renderReport(
    {
      verdict: fileVerdict(drift),
      style: drift.rules.some(isNewlyBroken) ? 'red' : isAlarming(drift) ? 'yellow' : 'green',
      facts: [],
      sections: [
        ...brokenSections(drift.rules, true),
        ...driftSections({ ...drift, refinements: [...drift.refinements, ...drift.newlySeen] }, 'Now known'),
        { title: 'No longer known', findings: drift.lost.map(changeFinding) },
        { title: 'Said by the earlier document alone', sentences: drift.onlyEarlier },
        { title: 'Said by the later document alone', sentences: drift.onlyLater },
      ],
      notes: [],
      next,
    },
    screen,
  )
}

/** A sentence about newly broken rules and changes. */
export const fileVerdict = (drift: FileDrift): string => {
  const broken = drift.rules.filter(isNewlyBroken).length
  const rules =
    broken === 0 ? '' : `${plural(broken, 'rule')} of the contract ${broken === 1 ? 'is' : 'are'} newly broken. `
  const { newlySeen, lost, onlyEarlier, onlyLater } = drift
  const statements = onlyEarlier.length + onlyLater.length
  const points = (count: number, words: string) =>
    count === 0 ? [] : [`${plural(count, 'point')} ${count === 1 ? 'is' : 'are'} ${words}.`]
  const others = [
    ...points(newlySeen.length, 'now known'),
    ...points(lost.length, 'no longer known'),
    ...(statements === 0 ? [] : [`${plural(statements, 'statement')} beyond the mock changed.`]),
  ]
  const nothing = others.length > 0 ? 'No known value changed.' : noChange(broken > 0)
  return `${rules}${[driftVerdict(drift, nothing), ...others].join(' ')}`
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

/** The broken and repaired rules. */
export const brokenSections = (rules: readonly ShownRule[], isCompared: boolean): readonly Section[] => {
  const section = (title: string, style: Style, isMeant: (rule: ShownRule) => boolean): Section => ({
    title,
    findings: rules.filter(isMeant).map((rule) => ruleFinding(rule, style)),
  })
  return [
    section(isCompared ? 'Newly broken' : 'Broken', 'red', isNewlyBroken),
    section('Still broken', 'red', ({ outcome, wasBroken = false }) => wasBroken && outcome === 'failed'),
    section('Repaired', 'green', ({ outcome, wasBroken = false }) => wasBroken && outcome === 'passed'),
  ]
}

export const ruleFinding = (rule: ShownRule, style: Style): Finding => {
  const { id, section, statement, outcome, reason, curl } = rule
  const isKept = outcome === 'passed'
  return {
    ...{ name: id, style, text: statement, section },
    ...(!isKept && reason !== undefined && { reasons: [reason] }),
    ...(!isKept && curl !== undefined && { details: [`Repeat  ${curl}`] }),
  }
}

/** @param isBroken Whether a sentence about broken rules comes before. */
export const noChange = (isBroken: boolean): string => `No ${isBroken ? 'other ' : ''}change was seen.`

/** @param nothing The sentence for no change. */
export const driftVerdict = ({ changes, allAtOnce }: Judged, nothing: string): string => {
  const compared = changes.filter(isCompared)
  const ended = changes.length - compared.length
  const rest = ended === 0 ? '' : ` ${plural(ended, 'change')} ${ended === 1 ? 'is' : 'are'} not compared.`
  return `${compared.length === 0 ? nothing : comparedVerdict({ changes: compared, allAtOnce })}${rest}`
}

const comparedVerdict = ({ changes, allAtOnce }: Judged): string => {
  const all = plural(changes.length, 'change')
  if (allAtOnce === undefined) return `${all} ${changes.length === 1 ? 'was' : 'were'} seen.`
  const breaking = changes.filter(isBreaking).length
  const unknown = changes.filter(({ notJudged }) => notJudged !== undefined).length
  return [
    breaking > 0
      ? `${breaking} of ${all} ${breaking === 1 ? 'breaks' : 'break'} tests.`
      : isBreaking(allAtOnce)
        ? `Of ${all}, none breaks a test alone, but all at once do.`
        : `Of ${all}, none ${unknown > 0 ? 'is known to break' : 'breaks'} a test.`,
    ...(unknown === 0 ? [] : [`${unknown} ${unknown === 1 ? 'is' : 'are'} not judged.`]),
  ].join(' ')
}

export const driftSections = (
  { changes, refinements, allAtOnce = { breaks: [] } }: Drift,
  knownTitle = 'Now known, and no change; --learn writes it',
): readonly Section[] => {
  const compared = changes.filter(isCompared)
  const ended = changes.filter((change) => !isCompared(change))
  const sorted = [...compared.filter(isBreaking), ...compared.filter((change) => !isBreaking(change))]
  const known = refinements.filter(({ id }) => !changes.some((change) => change.id === id))
  return [
    { title: 'Changed', findings: sorted.map(changeFinding) },
    { title: 'Not compared, because a rule that it depends on is newly broken', findings: ended.map(changeFinding) },
    { title: 'Broken by no change alone', findings: isBreaking(allAtOnce) ? [atOnceFinding(allAtOnce)] : [] },
    { title: knownTitle, findings: known.map(changeFinding) },
  ]
}

const atOnceFinding = (allAtOnce: Effect): Finding => ({
  name: 'all changes at once',
  style: 'red',
  effect: brokenText(allAtOnce),
  details: testTexts(allAtOnce.breaks),
})

const changeFinding = (change: JudgedChange): Finding => {
  const { id, section, breaks = [], repeat } = change
  const effect = effectText(change)
  const isRepeated = isBreaking(change) && repeat !== undefined
  return {
    ...{ name: id, style: isBreaking(change) ? 'red' : 'yellow', text: describeChange(change), section },
    ...(effect !== undefined && { effect }),
    details: [...testTexts(breaks), ...(isRepeated ? [`Repeat  ${repeat}`] : [])],
  }
}

const brokenText = ({ breaks, breaksCommand }: Effect): string =>
  breaks.length > 0 ? `breaks ${plural(breaks.length, 'test')}` : `breaks the command (${breaksCommand})`

/** @returns `undefined` if the effect is unknown. */
const effectText = (change: JudgedChange): string | undefined => {
  const { breaks, exercisedBy, notExercised, notJudged, brokenRule } = change
  if (brokenRule !== undefined) return `the rule ${brokenRule} is broken`
  if (notJudged !== undefined) return `not judged: ${notJudged}`
  if (breaks === undefined) return undefined
  if (isBreaking(change)) return brokenText({ ...change, breaks })
  if (notExercised) return 'no test would see it'
  return exercisedBy ? `exercised by ${plural(exercisedBy, 'test')}, breaks none` : 'breaks none'
}

/** A change passes only if it is known to break no test. */
export const changeCase = (change: JudgedChange): JunitCase => {
  const { id, section, breaks = [] } = change
  const effect = effectText(change)
  const message = [describeChange(change), ...(effect === undefined ? [] : [effect])].join('; ')
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
