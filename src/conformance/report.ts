import { findAssumption, valuesOf } from '../assumptions/registry.ts'
import { contractCommand } from '../contract/citation.ts'
import { type JunitCase, renderJunit } from '../util/junit.ts'
import { type Paint, painter, printable, printableJson, type Style } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import type { AssumptionResult, ConformanceReport, RuleResult } from './check.ts'

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
  ])
}

type Outcome = (RuleResult | AssumptionResult)['outcome']

const labels: Readonly<Record<Outcome, readonly [label: string, style: Style]>> = {
  passed: ['kept', 'green'],
  failed: ['broken', 'red'],
  skipped: ['skipped', 'dim'],
  agrees: ['agrees', 'green'],
  differs: ['differs', 'yellow'],
  other: ['other', 'yellow'],
  unseen: ['unseen', 'dim'],
}
const labelWidth = 9

const renderText = (report: ConformanceReport, paint: Paint): string => {
  const line = (outcome: Outcome, text: string): string => {
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
    '',
  ].join('\n')
}

const cite = (section: string): string => `contract ${section}`.trim()

const ruleText = ({ id, statement, section }: RuleResult): string =>
  `${id}  ${statement}${section === '' ? '' : ` (${cite(section)})`}`

const ruleDetails = (rule: RuleResult): readonly string[] => {
  if (rule.outcome === 'passed') return []
  const lines = rule.outcome === 'failed' ? [printable(rule.reason), rule.curl] : [printable(rule.reason)]
  return lines.map((line) => `  ${' '.repeat(labelWidth)}${line}`)
}

const findingText = (result: AssumptionResult): string => {
  const { id, outcome, assumed } = result
  if (outcome === 'unseen') return `${id}: ${result.reason}`
  const row = findAssumption(id)
  if (outcome === 'other') return `${id}: ${result.found}; none of ${row && valuesOf(row).join(', ')}`
  const finding = `${id} = ${result.found}`
  return outcome === 'agrees' ? finding : `${finding}, assumed ${assumed}: ${row?.meaning(result.found)}`
}

const summary = ({ rules, assumptions, requests, created }: ConformanceReport): string => {
  const results = [...rules, ...assumptions]
  const count = (...outcomes: readonly Outcome[]): number =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).length
  return [
    `Rules: ${count('passed')} kept, ${count('failed')} broken, ${count('skipped')} skipped.`,
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
  ...(rule.outcome === 'failed' && { failure: { message: rule.reason, text: rule.curl } }),
})

/** A difference is not a failure, because the contract leaves the point open. */
const assumptionCase = (result: AssumptionResult): JunitCase => ({
  classname: cite(result.section),
  name: result.id,
  ...(result.outcome === 'unseen'
    ? { skipped: result.reason }
    : { output: `${result.outcome}: found ${result.found}, assumed ${result.assumed}` }),
})
