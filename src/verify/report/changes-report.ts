import type { Entries } from '../../core/assumptions/file.ts'
import { assumptionRegistry } from '../../core/assumptions/registry.ts'
import { ruleIds, rules } from '../../core/contract/rules.ts'
import { type Finding, failuresIn, type Outcome, type Report, type Section } from '../../util/report.ts'
import type { ReportedTest } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { type Comparison, compareEntries, isNewlyBroken, type RuleChange, type ServiceChange } from '../read/learned.ts'
import type { Source, SourceNote } from '../sources/source.ts'

export type Effect = {
  readonly breaks: readonly ReportedTest[]
  readonly breaksCommand?: string
}

export type Consequence = Effect & {
  readonly exercisedBy?: number
  readonly notExercised: boolean
  readonly notJudged?: string
  readonly repeat?: string
}

export type JudgedChange = ServiceChange & Partial<Consequence>

export type Drift = Pick<Comparison, 'refinements'> & {
  readonly changes: readonly JudgedChange[]
  readonly allAtOnce?: Effect
}

type Differences = Comparison & {
  readonly rules: readonly RuleChange[]
  readonly areDocuments: boolean
  readonly lost: readonly ServiceChange[]
  readonly onlyEarlier: readonly string[]
  readonly onlyLater: readonly string[]
  readonly newContradictions: readonly string[]
}

export const compareLearned = (earlier: Source, later: Source): Differences => {
  const changed = ruleIds.flatMap((id): readonly RuleChange[] => {
    const [wasBroken, isBroken] = [earlier, later].map(({ broken }) => broken.includes(id))
    if (!wasBroken && !isBroken) return []
    return [{ id, ...rules[id], outcome: isBroken ? 'failed' : 'passed', ...(wasBroken && { wasBroken }) }]
  })
  const gone = compareEntries(withOpenPoints(later.entries), earlier.entries).newlySeen
  const areDocuments = [earlier, later].every(({ kind }) => kind === 'document')
  const before = new Set(areDocuments ? saidIn(earlier) : [])
  const after = new Set(areDocuments ? saidIn(later) : [])
  const onlyLater = [...after].filter((text) => !before.has(text))
  const contradictions = new Set(later.notes.filter(({ kind }) => kind === 'contradicts').flatMap(statementsOf))
  return {
    ...compareEntries(withOpenPoints(earlier.entries), later.entries),
    rules: changed,
    areDocuments,
    lost: gone.map(({ id, section, is }) => ({ id, section, was: is, is: 'not known' })),
    onlyEarlier: [...before].filter((text) => !after.has(text)),
    onlyLater: onlyLater.filter((text) => !contradictions.has(text)),
    newContradictions: onlyLater.filter((text) => contradictions.has(text)),
  }
}

const statementsOf = ({ text, statements = [text] }: SourceNote): readonly string[] => statements

const saidIn = ({ notes, basePath }: Source): readonly string[] => [
  ...notes.filter(({ kind }) => kind !== 'outside').flatMap(statementsOf),
  ...(basePath === undefined ? [] : [`The base path is ${basePath}.`]),
]

const withOpenPoints = (entries: Entries): Entries =>
  new Map(assumptionRegistry.map(({ id }) => [id, entries.get(id) ?? { unseen: 'not stated' }]))

export type FileDrift = Drift & Omit<Differences, keyof Drift>

export const mayBreak = (change: JudgedChange): boolean => isBreaking(change) || change.notJudged !== undefined

const isBreaking = ({ breaks = [], breaksCommand }: Partial<Effect>): boolean =>
  breaks.length > 0 || breaksCommand !== undefined

/** A value in only one of two documents is a change. In recordings it is not: clients may have sent other requests. */
export const driftReport = (
  drift: FileDrift,
  next: readonly string[],
): Report & { readonly outcome: 'same' | 'added' | 'changed' | 'broken' } => {
  const { rules, newlySeen, lost, areDocuments, allAtOnce, onlyEarlier, onlyLater, newContradictions } = drift
  const verdict = fileVerdict(drift)
  const stated: Outcome = areDocuments ? 'failed' : 'noted'
  const seen = newlySeen.map((point) => knownFinding(point, allAtOnce === undefined ? stated : 'noted'))
  const [nowKnown, onlyLaterTitle] = ['Now known', 'Only in the later document']
  const sections = [
    ...brokenSections(rules, true),
    ...driftSections(drift, nowKnown, seen),
    { title: 'No longer known', findings: lost.map((point) => knownFinding(point, stated)) },
    { title: 'Only in the earlier document', findings: onlyEarlier.map(statement) },
    { title: 'Contradicts the contract, only in the later document', findings: newContradictions.map(statement) },
    { title: onlyLaterTitle, findings: onlyLater.map(statement) },
  ]
  const failures = failuresIn({ sections })
  const isAddition = failures.every(({ title }) => title === nowKnown || title === onlyLaterTitle)
  const differing = failures.length === 0 ? 'same' : isAddition ? 'added' : 'changed'
  const outcome = rules.some(isNewlyBroken) ? 'broken' : differing
  const style = outcome === 'broken' ? 'red' : outcome === 'same' ? 'green' : 'yellow'
  return {
    ...{ command: 'diff', verdict, style, facts: [], sections, notes: [], next, outcome },
    data: { verdict, outcome, ...drift },
  }
}

const statement = (name: string): Finding => ({ name, outcome: 'failed' })

const fileVerdict = (drift: FileDrift): string => {
  const { rules, newlySeen, lost, onlyEarlier, onlyLater, newContradictions } = drift
  const sentence = ({ length }: readonly unknown[], noun: string, predicate: string) =>
    length === 0 ? [] : [`${plural(length, noun)} ${length === 1 ? predicate : predicate.replace(/\bis\b/, 'are')}.`]
  const broken = [
    ...sentence(rules.filter(isNewlyBroken), 'rule', 'of the contract is newly broken'),
    ...sentence(newContradictions, 'contradiction', 'of the contract is new'),
  ]
  const others = [
    ...sentence(newlySeen, 'point', 'is now known'),
    ...sentence(lost, 'point', 'is no longer known'),
    ...sentence([...onlyEarlier, ...onlyLater], 'statement', 'without effect on the mock changed'),
  ]
  const nothing = others.length > 0 ? 'No known value changed.' : noChange(broken.length > 0)
  return [...broken, driftVerdict(drift, nothing), ...others].join(' ')
}

export const brokenSections = (rules: readonly RuleChange[], isCompared: boolean): readonly Section[] => {
  const section = (title: string, outcome: Outcome, isMeant: (rule: RuleChange) => boolean): Section => ({
    title,
    findings: rules.filter(isMeant).map((rule) => ruleFinding(rule, outcome)),
  })
  return [
    section(isCompared ? 'Newly broken' : 'Broken', 'failed', isNewlyBroken),
    section('Still broken', 'skipped', ({ outcome, wasBroken = false }) => wasBroken && outcome === 'failed'),
    section('Repaired', 'passed', ({ outcome, wasBroken = false }) => wasBroken && outcome === 'passed'),
  ]
}

export const ruleFinding = ({ id, section, statement, reason, curl }: RuleChange, outcome: Outcome): Finding => ({
  ...{ name: id, outcome, text: statement, section },
  ...(outcome !== 'passed' && reason !== undefined && { reason }),
  ...(outcome !== 'passed' && curl !== undefined && { commands: [['Repeat', curl]] }),
})

export const noChange = (hasBrokenRules: boolean): string => `No ${hasBrokenRules ? 'other ' : ''}change was seen.`

export const driftVerdict = ({ changes, allAtOnce }: Omit<Drift, 'refinements'>, ifNone: string): string => {
  if (changes.length === 0) return ifNone
  const all = plural(changes.length, 'change')
  if (allAtOnce === undefined) return `${all} ${changes.length === 1 ? 'was' : 'were'} seen.`
  const breaking = changes.filter(isBreaking).length
  const unknown = changes.filter(({ notJudged }) => notJudged !== undefined).length
  return [
    breaking > 0
      ? `${breaking} of ${all} ${breaking === 1 ? 'breaks' : 'break'} tests.`
      : isBreaking(allAtOnce)
        ? `Of ${all}, none breaks a test alone, but all together do.`
        : `Of ${all}, none ${unknown > 0 ? 'is known to break' : 'breaks'} a test.`,
    ...(unknown === 0 ? [] : [`${unknown} ${unknown === 1 ? 'is' : 'are'} not judged.`]),
  ].join(' ')
}

export const driftSections = (
  { changes, refinements, allAtOnce }: Drift,
  knownTitle = 'Now known (not a change); --learn saves it',
  seen: readonly Finding[] = [],
): readonly Section[] => {
  const sorted = [...changes.filter(isBreaking), ...changes.filter((change) => !isBreaking(change))]
  const known = refinements.filter(({ id }) => !changes.some((change) => change.id === id))
  const outcomeOf = (change: JudgedChange): Outcome =>
    allAtOnce === undefined || mayBreak(change) ? 'failed' : 'passed'
  return [
    { title: 'Changed', findings: sorted.map((change) => changeFinding(change, outcomeOf(change))) },
    {
      title: 'Broken only by all changes together',
      findings: allAtOnce !== undefined && isBreaking(allAtOnce) ? [atOnceFinding(allAtOnce)] : [],
    },
    {
      title: knownTitle,
      findings: [
        ...known.map((change) => knownFinding(change, 'noted')),
        ...seen.filter(({ name }) => !changes.some(({ id }) => id === name)),
      ],
    },
  ]
}

const atOnceFinding = (allAtOnce: Effect): Finding => ({
  name: 'all changes together',
  outcome: 'failed',
  effect: brokenText(allAtOnce),
  tests: allAtOnce.breaks,
})

const describeChange = ({ was, is }: Pick<ServiceChange, 'was' | 'is'>): string =>
  /\s/.test(was + is) ? `before: ${was}; now: ${is}` : `was ${was}, is ${is}`

const knownFinding = (change: ServiceChange, outcome: Outcome): Finding => ({
  name: change.id,
  outcome,
  text: describeChange(change),
  section: change.section,
})

const changeFinding = (change: JudgedChange, outcome: Outcome): Finding => {
  const { breaks = [], repeat } = change
  const effect = effectText(change)
  return {
    ...knownFinding(change, outcome),
    ...(effect !== undefined && { effect }),
    tests: breaks,
    ...(isBreaking(change) && repeat !== undefined && { commands: [['Repeat', repeat]] }),
  }
}

const brokenText = ({ breaks, breaksCommand }: Effect): string =>
  breaks.length > 0 ? `breaks ${plural(breaks.length, 'test')}` : `breaks the command (${breaksCommand})`

const effectText = (change: JudgedChange): string | undefined => {
  const { breaks, exercisedBy, notExercised, notJudged } = change
  if (notJudged !== undefined) return `not judged: ${notJudged}`
  if (breaks === undefined) return undefined
  if (isBreaking(change)) return brokenText({ ...change, breaks })
  if (notExercised) return 'no test would see the change'
  return exercisedBy ? `exercised by ${plural(exercisedBy, 'test')}, breaks none` : 'breaks none'
}
