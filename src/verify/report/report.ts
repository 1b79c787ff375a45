import { findAssumption } from '../../core/assumptions/registry.ts'
import { contractCommand, sectionsIn } from '../../core/contract/violation.ts'
import { type JunitCase, renderJunit } from '../../util/junit.ts'
import { type Finding, renderReport, type Screen, type Section } from '../../util/report.ts'
import { plain, printable, printableJson, type Style } from '../../util/terminal.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import type { ConformanceReport, RuleResult } from '../ask/check.ts'
import { runLabelOf } from '../ask/plant-source.ts'
import type { CreatedPlant } from '../read/created-plant.ts'
import { type AssumptionResult, describeScope } from '../read/finding.ts'
import { isNewlyBroken } from '../read/learned.ts'
import { alikeCase, alikeSection, alikeText } from './alike-report.ts'
import {
  brokenSections,
  changeCase,
  cite,
  driftSections,
  driftVerdict,
  isAlarming,
  noChange,
  ruleCase,
  ruleFinding,
} from './changes-report.ts'

/**
 * Renders a report.
 * @param format `text` for people; `json` is the report itself; `junit` is XML for CI. Default: `text`.
 * @param paint Styles a part of text, as `styleText` of `node:util` does. Default: no styles.
 * @param verbose Whether the text also lists expected results. Default: false.
 */
export const renderConformance = (
  report: ConformanceReport,
  format: 'text' | 'json' | 'junit' = 'text',
  paint = plain,
  verbose = false,
): string => renderCheck(report, { format, screen: { paint }, verbose })

type RenderOptions = {
  readonly format: 'text' | 'json' | 'junit'
  readonly screen: Screen
  readonly verbose: boolean
  /** The command to run next. Default: none. */
  readonly next?: string | undefined
}

/** Renders a report for a screen, with the next command. */
export const renderCheck = (report: ConformanceReport, options: RenderOptions): string => {
  const { format } = options
  if (format === 'json') return `${printableJson({ verdict: checkVerdict(report), ...report }, 2)}\n`
  if (format === 'text') return renderText(report, options)
  return renderJunit([
    { name: 'rules', cases: report.rules.map(ruleCase) },
    { name: 'assumptions', cases: report.assumptions.map(assumptionCase) },
    ...(report.changes === undefined ? [] : [{ name: 'expected assumptions', cases: changeCases(report) }]),
    ...(report.alike === undefined ? [] : [{ name: 'imitation', cases: [alikeCase(report.alike)] }]),
  ])
}

type ShownOutcome = (RuleResult | AssumptionResult)['outcome']

const renderText = (report: ConformanceReport, { screen, verbose, next }: RenderOptions): string => {
  const isBrief = isNothingChecked(report) && !verbose
  return renderReport(
    {
      verdict: checkVerdict(report),
      style: styleOf(report),
      facts: isBrief ? [] : factsOf(report),
      sections: isBrief ? [] : sectionsOf(report, verbose),
      notes: createdText(report),
      next: [...readingHint(report), ...(next === undefined ? [] : [next])],
    },
    screen,
  )
}

const sectionsOf = (report: ConformanceReport, verbose: boolean): readonly Section[] => {
  const { rules, assumptions, changes, alike } = report
  const rulesThat = (outcome: ShownOutcome, style: Style): readonly Finding[] =>
    rules.filter((rule) => rule.outcome === outcome).map((rule) => ruleFinding(rule, style))
  const assumptionsThat = (...outcomes: readonly ShownOutcome[]): readonly Finding[] =>
    assumptions
      .flatMap((result) => (result.outcome !== 'unseen' && outcomes.includes(result.outcome) ? [result] : []))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(assumptionFinding)
  return [
    ...brokenSections(rules, changes !== undefined),
    ...(changes === undefined ? [] : driftSections({ refinements: [], ...report, changes })),
    // A difference from a default is not a change.
    ...(changes === undefined || verbose
      ? [{ title: 'Not as assumed', findings: assumptionsThat('differs', 'other') }]
      : []),
    ...(alike === undefined ? [] : [alikeSection(alike, verbose)]),
    { title: 'Advice', findings: rulesThat('advised', 'yellow') },
    { title: 'Not checked', sentences: uncheckedTexts(report, verbose) },
    ...(verbose ? [{ title: 'Kept', findings: rulesThat('passed', 'green') }] : []),
    ...(verbose ? [{ title: 'As assumed', findings: assumptionsThat('agrees') }] : []),
  ]
}

const isNothingChecked = ({ rules, assumptions }: ConformanceReport): boolean =>
  [...rules, ...assumptions].every(({ outcome }) => outcome === 'skipped' || outcome === 'unseen')

/** The report in a sentence or two. */
export const checkVerdict = (report: ConformanceReport): string => {
  const { baseUrl, rules, changes, incomplete } = report
  const reason = incomplete === undefined ? '' : `: ${incomplete}`
  if (isNothingChecked(report)) return `Nothing was checked at ${baseUrl}${reason}.`
  const broken = rules.filter(({ outcome }) => outcome === 'failed')
  const news = broken.filter(isNewlyBroken).length
  const since = news === broken.length ? '' : news === 0 ? ', as before' : `, ${news} newly`
  const kept = incomplete === undefined ? 'keeps the contract, as far as it was checked.' : 'breaks no rule so far.'
  const verdict = broken.length === 0 ? kept : `breaks ${plural(broken.length, 'rule')} of the contract${since}.`
  return [
    `${baseUrl} ${verdict}`,
    ...(changes === undefined ? [] : [driftVerdict({ changes }, noChange(news > 0))]),
    ...(incomplete === undefined ? [] : [`The check is incomplete${reason}.`]),
  ].join(' ')
}

const styleOf = (report: ConformanceReport): Style => {
  const { rules, changes, incomplete } = report
  if (isNothingChecked(report) || incomplete !== undefined || rules.some(isNewlyBroken)) return 'red'
  const isBroken = rules.some(({ outcome }) => outcome === 'failed')
  return isBroken || (changes !== undefined && isAlarming({ changes })) ? 'yellow' : 'green'
}

/** The rules and assumptions that were not checked, grouped by reason. */
const uncheckedTexts = ({ rules, assumptions }: ConformanceReport, verbose: boolean): readonly string[] => {
  const byReason = new Map<string, string[]>()
  for (const result of [...rules, ...assumptions])
    if (result.outcome === 'skipped' || result.outcome === 'unseen')
      byReason.set(result.reason, [...(byReason.get(result.reason) ?? []), result.id])
  return [...byReason].map(([reason, ids]) => {
    const hidden = verbose ? 0 : Math.max(0, ids.length - maxIds)
    const names = ids.slice(0, ids.length - hidden).join(', ')
    return `${names}${hidden === 0 ? '' : ` and ${hidden} more`}: ${reason}`
  })
}

/** The maximum number of ids on a line. */
const maxIds = 5

/** How many plants a report lists one by one. Users find further plants by the start of name or tag. */
const maxListed = 10

/** The plants that remain in the service. */
const createdText = ({ plants }: Pick<ConformanceReport, 'plants'>): readonly string[] => {
  if (plants.length === 0) return []
  const usual = plants.filter(isUsual)
  const ids = usual.map(({ id }) => id as number)
  const unusual = plants.filter((plant) => !isUsual(plant))
  const lines = unusual.slice(0, maxListed).map(({ certain, as, ...plant }) => {
    const said = certain ? 'Created' : 'May have created'
    return `${said} ${printable(shorten(JSON.stringify(plant), 120))}${as === 'caller' ? '' : ` as ${as}`}.`
  })
  if (usual.length > 0)
    lines.unshift(
      `Created ${plural(usual.length, 'plant')}, each with "${labelOf(usual[0])}" in its name or tag; ids ${Math.min(...ids)} to ${Math.max(...ids)}.`,
    )
  if (unusual.length > maxListed)
    lines.push(`And ${unusual.length - maxListed} more like these; --reporter json lists all.`)
  return lines
}

/** A plant with the planned id and label that the caller certainly created. */
const isUsual = (plant: CreatedPlant): boolean =>
  plant.certain && plant.as === 'caller' && typeof plant.id === 'number' && labelOf(plant) !== undefined

const labelOf = (plant: CreatedPlant | undefined): string | undefined =>
  runLabelOf(plant?.name) ?? runLabelOf(plant?.tag)

const assumptionFinding = (result: Exclude<AssumptionResult, { readonly outcome: 'unseen' }>): Finding => {
  const { id, outcome, assumed, section } = result
  const meaning = outcome === 'differs' ? ` (${findAssumption(id)?.meaning(result.found)})` : ''
  const found = describeScope(`${result.found}${meaning}`, result, id)
  const comparison = { agrees: '', differs: `; assumed ${assumed}`, other: cannot(result) }[outcome]
  return { name: id, ...(outcome !== 'agrees' && { style: 'yellow' }), text: `${found}${comparison}`, section }
}

const cannot = (result: AssumptionResult): string => {
  const nearest = result.outcome === 'other' ? result.nearest : undefined
  return `; the mock has no such value${nearest === undefined ? '' : `; nearest: ${nearest}`}`
}

const factsOf = ({ rules, assumptions, requests, created, alike }: ConformanceReport): readonly string[] => {
  const results = [...rules, ...assumptions]
  const count = (...outcomes: readonly ShownOutcome[]): number =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).length
  const advised = count('advised')
  const advice = advised === 0 ? '' : ` Advice: ${advised}.`
  const counts = [
    `Rules: ${count('passed')} kept, ${count('failed')} broken, ${count('skipped')} skipped.${advice}`,
    `Assumptions: ${count('agrees')} agree, ${count('differs', 'other')} differ, ${count('unseen')} unseen.`,
    `${plural(requests, 'request')}, ${plural(created, 'plant')} created.`,
  ]
  return [counts.join(' '), ...(alike === undefined ? [] : [alikeText(alike)])]
}

/** The sections to read: of broken rules, or else of changes, or else of differences. */
const readingHint = ({ rules, changes = [], assumptions }: ConformanceReport): readonly string[] => {
  const broken = rules.filter(({ outcome }) => outcome === 'failed')
  const differing = assumptions.filter(({ outcome }) => outcome === 'differs' || outcome === 'other')
  const shown = [broken, changes, differing].find((results) => results.length > 0) ?? []
  const sections = [...new Set(shown.flatMap(({ section }) => sectionsIn(section)))].toSorted()
  if (sections.length === 0) return []
  return [`Read: ${contractCommand(sections.join(','))}`]
}

const changeCases = ({ assumptions, changes = [] }: ConformanceReport): readonly JunitCase[] =>
  assumptions.map(({ id, section }) => {
    const change = changes.find((change) => change.id === id)
    return change === undefined ? { classname: cite(section), name: id } : changeCase(change)
  })

/** A difference is not a failure, because the contract leaves the point open. */
const assumptionCase = (result: AssumptionResult): JunitCase => ({
  classname: cite(result.section),
  name: result.id,
  ...(result.outcome === 'unseen'
    ? { skipped: result.reason }
    : {
        output: `${result.outcome}: found ${describeScope(String(result.found), result, result.id)}, assumed ${result.assumed}`,
      }),
})
