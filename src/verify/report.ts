import { describeValues, findAssumption } from '../core/assumptions/registry.ts'
import { contractCommand } from '../core/contract/citation.ts'
import { type JunitCase, renderJunit } from '../util/junit.ts'
import { type Paint, painter, printable, printableJson, type Style } from '../util/terminal.ts'
import { plural, shorten } from '../util/words.ts'
import { alikeCase, alikeText } from './alike-report.ts'
import { changeCase, driftText } from './changes-report.ts'
import type { ConformanceReport, RuleResult } from './check.ts'
import type { CreatedPlant } from './created-plant.ts'
import { type AssumptionResult, describeScope } from './finding.ts'
import { runLabelOf } from './plant-source.ts'

/**
 * Renders a report.
 * @param format `text` for people; `json` is the report itself; `junit` is XML for CI. Default: `text`.
 * @param colour Whether text takes colours. Default: false.
 */
export const renderConformance = (
  report: ConformanceReport,
  format: 'text' | 'json' | 'junit' = 'text',
  colour = false,
): string => {
  if (format === 'json') return `${printableJson(report, 2)}\n`
  if (format === 'text') return renderText(report, painter(colour))
  return renderJunit([
    { name: 'rules', cases: report.rules.map(ruleCase) },
    { name: 'assumptions', cases: report.assumptions.map(assumptionCase) },
    ...(report.changes === undefined ? [] : [{ name: 'expected assumptions', cases: changeCases(report) }]),
    ...(report.alike === undefined ? [] : [{ name: 'imitation', cases: [alikeCase(report.alike)] }]),
  ])
}

type ShownOutcome = (RuleResult | AssumptionResult)['outcome']

const labels: Readonly<Record<ShownOutcome, readonly [label: string, style: Style]>> = {
  passed: ['kept', 'green'],
  failed: ['broken', 'red'],
  advised: ['advice', 'yellow'],
  skipped: ['skipped', 'dim'],
  agrees: ['agrees', 'green'],
  differs: ['differs', 'yellow'],
  other: ['other', 'yellow'],
  unseen: ['unseen', 'dim'],
}
const labelWidth = 9

const renderText = (report: ConformanceReport, paint: Paint): string => {
  const line = (outcome: ShownOutcome, text: string): string => {
    const [label, style] = labels[outcome]
    return `  ${paint(style, label)}${' '.repeat(labelWidth - label.length)}${text}`
  }
  return [
    `Rules of the contract, at ${report.baseUrl}`,
    ...report.rules.flatMap((rule) => [line(rule.outcome, ruleText(rule)), ...ruleDetails(rule)]),
    '',
    'Assumptions',
    ...report.assumptions.map((result) =>
      line(result.outcome, `${printable(findingText(result))}  (${cite(result.section)})`),
    ),
    '',
    summary(report),
    ...readingHint(report),
    ...(report.changes === undefined
      ? []
      : ['', ...driftText({ refinements: [], ...report, changes: report.changes }, paint)]),
    ...(report.alike === undefined ? [] : ['', ...alikeText(report.alike, paint)]),
    ...(report.incomplete === undefined
      ? []
      : ['', paint('red', `The check is incomplete: ${printable(report.incomplete)}.`)]),
    ...createdText(report),
    '',
  ].join('\n')
}

/** How many plants a report lists one by one; the others are known by the start of their name or tag. */
const maxListed = 10

/** The plants that stay at the service. */
const createdText = ({ plants }: ConformanceReport): readonly string[] => {
  if (plants.length === 0) return []
  const usual = plants.filter(isUsual)
  const ids = usual.map(({ id }) => id as number)
  const unusual = plants.filter((plant) => !isUsual(plant))
  return [
    '',
    ...(usual.length === 0
      ? []
      : [
          `Created ${plural(usual.length, 'plant')}, each with "${labelOf(usual[0])}" in its name or tag; ids ${Math.min(...ids)} to ${Math.max(...ids)}.`,
        ]),
    ...unusual.slice(0, maxListed).map(({ certain, as, ...plant }) => {
      const said = certain ? 'Created' : 'May have created'
      return `${said} ${printable(shorten(JSON.stringify(plant), 120))}${as === 'caller' ? '' : ` as ${as}`}.`
    }),
    ...(unusual.length > maxListed
      ? [`And ${unusual.length - maxListed} more like these; --reporter json lists all.`]
      : []),
  ]
}

/** With an id and a label as planned, created by the caller for certain. */
const isUsual = (plant: CreatedPlant): boolean =>
  plant.certain && plant.as === 'caller' && typeof plant.id === 'number' && labelOf(plant) !== undefined

const labelOf = (plant: CreatedPlant | undefined): string | undefined =>
  runLabelOf(plant?.name) ?? runLabelOf(plant?.tag)

const cite = (section: string): string => `contract ${section}`.trim()

const ruleText = ({ id, statement, section }: RuleResult): string =>
  `${id}  ${statement}${section === '' ? '' : ` (${cite(section)})`}`

const ruleDetails = (rule: RuleResult): readonly string[] => {
  if (rule.outcome === 'passed') return []
  const lines =
    rule.outcome === 'failed' || rule.outcome === 'advised'
      ? [printable(rule.reason), rule.curl]
      : [printable(rule.reason)]
  return lines.map((line) => `  ${' '.repeat(labelWidth)}${line}`)
}

const findingText = (result: AssumptionResult): string => {
  const { id, outcome, assumed } = result
  if (outcome === 'unseen') return `${id}: ${result.reason}`
  const row = findAssumption(id)
  const found = describeScope(String(result.found), result)
  if (outcome === 'other') return `${id}: ${found}; none of ${row && describeValues(row)}`
  const finding = `${id} = ${found}`
  return outcome === 'agrees' ? finding : `${finding}, assumed ${assumed}: ${row?.meaning(result.found)}`
}

const summary = ({ rules, assumptions, requests, created }: ConformanceReport): string => {
  const results = [...rules, ...assumptions]
  const count = (...outcomes: readonly ShownOutcome[]): number =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).length
  const advised = count('advised')
  const advice = advised === 0 ? '' : ` Advice: ${advised}.`
  return [
    `Rules: ${count('passed')} kept, ${count('failed')} broken, ${count('skipped')} skipped.${advice}`,
    `Assumptions: ${count('agrees')} agree, ${count('differs', 'other')} differ, ${count('unseen')} unseen.`,
    `${plural(requests, 'request')}, ${plural(created, 'plant')} created.`,
  ].join(' ')
}

/** One line for the first point of the contract that the service disagrees with. */
const readingHint = ({ rules, assumptions }: ConformanceReport): readonly string[] => {
  const disagreement = [...rules, ...assumptions].find(
    ({ outcome, section }) => ['failed', 'differs', 'other'].includes(outcome) && section !== '',
  )
  if (disagreement === undefined) return []
  return [`Read a section of the contract: ${contractCommand(disagreement.section)}`]
}

const ruleCase = (rule: RuleResult): JunitCase => ({
  classname: cite(rule.section),
  name: `${rule.id}: ${rule.statement}`,
  ...(rule.outcome === 'skipped' && { skipped: rule.reason }),
  ...(rule.outcome === 'advised' && { output: `advice: ${rule.reason}\n${rule.curl}` }),
  ...(rule.outcome === 'failed' && { failure: { message: rule.reason, text: rule.curl } }),
})

/** One case for each assumption that was compared. */
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
    : { output: `${result.outcome}: found ${describeScope(String(result.found), result)}, assumed ${result.assumed}` }),
})
