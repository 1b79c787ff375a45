import { findAssumption } from '../../core/assumptions/registry.ts'
import { contractCommand, sectionsIn } from '../../core/contract/violation.ts'
import { type ReportFormat, renderReport } from '../../util/render-report.ts'
import { type Finding, failuresIn, type Outcome, type Report, type Section } from '../../util/report.ts'
import { plain, type Style } from '../../util/terminal.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import type { ConformanceReport, RuleResult } from '../ask/check.ts'
import { runLabelOf } from '../ask/plant-source.ts'
import { type AssumptionResult, describeScope } from '../read/finding.ts'
import type { Alikeness, Unlikeness, UnlikenessCause } from '../read/imitation.ts'
import { isNewlyBroken } from '../read/learned.ts'
import type { CreatedPlant } from '../read/response.ts'
import { brokenSections, driftSections, driftVerdict, noChange, ruleFinding } from './changes-report.ts'

/**
 * Renders a report of `checkConformance`.
 * @param format `text` for people, `json` for the report itself, `junit` for CI. Default: `text`.
 * @param paint Styles a part of the text, as `styleText` of `node:util` does. Default: no styles.
 * @param verbose Whether the text also lists expected results. Default: false.
 */
export const renderConformance = (
  report: ConformanceReport,
  format: ReportFormat = 'text',
  paint = plain,
  verbose = false,
): string => renderReport(checkReport(report, verbose), format, { paint, width: Number.POSITIVE_INFINITY })

type ShownOutcome = (RuleResult | AssumptionResult)['outcome']

export const checkReport = (report: ConformanceReport, verbose: boolean, next?: string): Report => {
  const verdict = checkVerdict(report)
  const isBrief = isNothingChecked(report) && !verbose
  const sections = sectionsOf(report, verbose)
  return {
    command: 'verify',
    verdict,
    style: styleOf(report, sections),
    facts: isBrief ? [] : factsOf(report),
    sections: isBrief ? sections.map((section) => ({ ...section, layout: 'hidden' })) : sections,
    notes: remainingPlantsText(report),
    next: [...readingHint(report), ...(next === undefined ? [] : [next])],
    data: { verdict, ...report },
  }
}

const maxIdsInLine = 5

const sectionsOf = (report: ConformanceReport, verbose: boolean): readonly Section[] => {
  const { rules, assumptions, changes, alike } = report
  const rulesThat = (wanted: ShownOutcome, outcome: Outcome): readonly Finding[] =>
    rules.filter((rule) => rule.outcome === wanted && !rule.wasBroken).map((rule) => ruleFinding(rule, outcome))
  const unchanged = assumptions
    .filter(({ id }) => !changes?.some((change) => change.id === id))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const assumptionsThat = (...outcomes: readonly ShownOutcome[]): readonly Finding[] =>
    unchanged.flatMap((result) =>
      result.outcome !== 'unseen' && outcomes.includes(result.outcome) ? [assumptionFinding(result)] : [],
    )
  const shownIf = (isShown: boolean) => (isShown ? {} : ({ layout: 'hidden' } as const))
  return [
    ...brokenSections(rules, changes !== undefined),
    ...(changes === undefined ? [] : driftSections({ refinements: [], ...report, changes })),
    // A report about changes hides values that differ only from the default of the mock: they are no changes.
    {
      title: 'Not as assumed',
      findings: assumptionsThat('differs', 'other'),
      ...shownIf(changes === undefined || verbose),
    },
    ...(alike === undefined ? [] : alikeSections(alike, verbose)),
    { title: 'Advice', findings: rulesThat('advised', 'noted') },
    {
      title: 'Not checked',
      layout: 'names',
      ...(!verbose && { maxNames: maxIdsInLine }),
      findings: [...rules, ...assumptions].flatMap((result) =>
        result.outcome === 'skipped' || result.outcome === 'unseen'
          ? [{ name: result.id, outcome: 'skipped' as const, section: result.section, reason: result.reason }]
          : [],
      ),
    },
    { title: 'Kept', findings: rulesThat('passed', 'passed'), ...shownIf(verbose) },
    { title: 'As assumed', findings: assumptionsThat('agrees'), ...shownIf(verbose) },
  ]
}

const isNothingChecked = ({ rules, assumptions }: ConformanceReport): boolean =>
  [...rules, ...assumptions].every(({ outcome }) => outcome === 'skipped' || outcome === 'unseen')

const checkVerdict = (report: ConformanceReport): string => {
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

const styleOf = (report: ConformanceReport, sections: readonly Section[]): Style => {
  const { rules, incomplete } = report
  if (isNothingChecked(report) || incomplete !== undefined || rules.some(isNewlyBroken)) return 'red'
  const isBroken = rules.some(({ outcome }) => outcome === 'failed')
  return isBroken || failuresIn({ sections }).length > 0 ? 'yellow' : 'green'
}

const maxListedPlants = 10

const remainingPlantsText = ({ plants }: Pick<ConformanceReport, 'plants'>): readonly string[] => {
  if (plants.length === 0) return []
  const usual = plants.filter(isUsual)
  const ids = usual.map(({ id }) => id as number)
  const others = usual.filter(({ as }) => as === 'other').length
  const unusual = plants.filter((plant) => !isUsual(plant))
  const lines = unusual.slice(0, maxListedPlants).map(({ certain, as, ...plant }) => {
    const said = certain ? 'Created' : 'May have created'
    return `${said} ${shorten(JSON.stringify(plant), 120)}${as === 'caller' ? '' : ` as ${as}`}.`
  })
  if (usual.length > 0)
    lines.unshift(
      `Created ${plural(usual.length, 'plant')}, each with "${labelOf(usual[0])}" in its name or tag; ids ${Math.min(...ids)} to ${Math.max(...ids)}${others === 0 ? '' : `; ${others} of the other caller`}.`,
    )
  if (unusual.length > maxListedPlants)
    lines.push(`And ${unusual.length - maxListedPlants} more like these; --reporter json lists all.`)
  return lines
}

const isUsual = (plant: CreatedPlant): boolean =>
  plant.certain &&
  (plant.as === 'caller' || plant.as === 'other') &&
  typeof plant.id === 'number' &&
  labelOf(plant) !== undefined

const labelOf = (plant: CreatedPlant | undefined): string | undefined =>
  runLabelOf(plant?.name) ?? runLabelOf(plant?.tag)

const assumptionFinding = (result: Exclude<AssumptionResult, { readonly outcome: 'unseen' }>): Finding => {
  const { id, outcome, assumed, section } = result
  const meaning = outcome === 'differs' ? ` (${findAssumption(id)?.meaning(result.found)})` : ''
  const found = describeScope(`${result.found}${meaning}`, result, id)
  const nearest = result.outcome === 'other' && result.nearest !== undefined ? `; nearest: ${result.nearest}` : ''
  const comparison = {
    agrees: '',
    differs: `; assumed ${assumed}`,
    other: `; the mock has no such value${nearest}`,
  }[outcome]
  return { name: id, outcome: outcome === 'agrees' ? 'passed' : 'noted', text: `${found}${comparison}`, section }
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

const readingHint = ({ rules, changes = [], assumptions }: ConformanceReport): readonly string[] => {
  const broken = rules.filter(({ outcome }) => outcome === 'failed')
  const differing = assumptions.filter(({ outcome }) => outcome === 'differs' || outcome === 'other')
  const shown = [broken, changes, differing].find((results) => results.length > 0) ?? []
  const sections = [...new Set(shown.flatMap(({ section }) => sectionsIn(section)))].toSorted()
  if (sections.length === 0) return []
  return [`Read: ${contractCommand(sections.join(','))}`]
}

const maxListedDifferences = 10

const alikeText = ({ exchanges, same, heldOut, alike, expected }: Alikeness): string => {
  if (exchanges === 0) return 'Alike: unknown, because nothing was compared.'
  // Rounds down, because 100 % must mean that nothing differs.
  const share = (part: number, whole = exchanges): string => `${Math.floor((100 * part) / whole)} %`
  const parts = `status ${share(same.status)}, media type ${share(same.type)}, body ${share(same.body)}`
  const ofHeldOut =
    heldOut.exchanges === 0
      ? ''
      : `, ${share(heldOut.alike, heldOut.exchanges)} of ${heldOut.exchanges} held-out exchanges`
  const ofFurther = expected === undefined ? '' : `, probably ${share(expected, 1)} of new exchanges`
  return `Alike: ${share(alike)} of ${exchanges} exchanges (${parts})${ofHeldOut}${ofFurther}.`
}

const alikeSections = ({ differences }: Alikeness, verbose: boolean): readonly Section[] => {
  const title = 'Not alike'
  const findings = differences.toSorted((a, b) => b.exchanges - a.exchanges).map(differenceFinding)
  const [shown, hidden] = verbose
    ? [findings, []]
    : [findings.slice(0, maxListedDifferences), findings.slice(maxListedDifferences)]
  const uncovered = differences.filter(({ cause }) => cause.because === 'unknown').length
  const sentences = [
    ...(hidden.length > 0 ? [`And ${plural(hidden.length, 'difference')} more; --reporter json lists all.`] : []),
    ...(uncovered > 0
      ? [
          `No assumption covers ${plural(uncovered, 'difference')}. Report this defect: npm bugs plant-mock opens the issue tracker.`,
        ]
      : []),
  ]
  return [
    { title, findings: shown, sentences },
    { title, findings: hidden, layout: 'hidden' },
  ]
}

const differenceFinding = ({ section, exchange, differs, cause, exchanges }: Unlikeness): Finding => ({
  name: exchange,
  outcome: 'noted',
  text: differs,
  section,
  effect: `${describeCause(cause)}${exchanges === 1 ? '' : `, ${exchanges} times`}`,
})

const describeCause = (cause: UnlikenessCause): string => {
  if (cause.because === 'rule') return `the service breaks ${cause.id}`
  if (cause.because === 'plants') return 'plants that the check did not create'
  if (cause.because === 'unknown') return 'no assumption covers it'
  return cause.because === 'assumption' ? cause.id : `${cause.id} is ${cause.because}`
}
