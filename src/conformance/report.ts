import { findAssumption, valuesOf } from '../assumptions/registry.ts'
import { type JunitCase, renderJunit } from '../util/junit.ts'
import { type Paint, painter, printable, type Style } from '../util/terminal.ts'
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
  switch (format) {
    case 'text':
      return renderText(report, painter(colour))
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`
    case 'junit':
      return renderJunit([
        { name: 'rules', cases: report.rules.map(ruleCase) },
        { name: 'assumptions', cases: report.assumptions.map(assumptionCase) },
      ])
  }
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
const indent = ' '.repeat(2 + labelWidth)

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
    ...report.assumptions.map((result) => line(result.outcome, assumptionText(result))),
    '',
    summary(report),
    ...readingHint(report),
    '',
  ].join('\n')
}

const ruleText = ({ id, statement, section }: RuleResult): string =>
  `${id}  ${statement}${section === '' ? '' : ` (${cite(section)})`}`

const ruleDetails = (rule: RuleResult): readonly string[] => {
  if (rule.outcome === 'passed') return []
  const reason = `${indent}${printable(rule.reason)}`
  return rule.outcome === 'failed' ? [reason, `${indent}${rule.curl}`] : [reason]
}

const assumptionText = (result: AssumptionResult): string =>
  `${printable(findingText(result))}  (${cite(result.section)})`

const findingText = (result: AssumptionResult): string => {
  const { id, assumed } = result
  const row = findAssumption(id)
  switch (result.outcome) {
    case 'agrees':
      return `${id} = ${result.found}`
    case 'differs':
      return `${id} = ${result.found}, assumed ${assumed}: ${row?.meaning(result.found)}`
    case 'other':
      return `${id}: ${result.found}; none of ${row && valuesOf(row).join(', ')}`
    case 'unseen':
      return `${id}: ${result.reason}`
  }
}

const cite = (section: string): string => `contract ${section}`.trim()

const summary = ({ rules, assumptions, requests, created }: ConformanceReport): string => {
  const count = (results: readonly { readonly outcome: Outcome }[], ...outcomes: readonly Outcome[]): number =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).length
  return [
    `Rules: ${count(rules, 'passed')} kept, ${count(rules, 'failed')} broken, ${count(rules, 'skipped')} skipped.`,
    `Assumptions: ${count(assumptions, 'agrees')} agree, ${count(assumptions, 'differs', 'other')} differ, ${count(assumptions, 'unseen')} unseen.`,
    `${plural(requests, 'request')}, ${plural(created, 'plant')} created.`,
  ].join(' ')
}

const outcomesToRead: readonly Outcome[] = ['failed', 'differs', 'other']

/** One line for the first section that the service disagrees with. */
const readingHint = ({ rules, assumptions }: ConformanceReport): readonly string[] => {
  const cited = [...rules, ...assumptions].find(
    ({ outcome, section }) => outcomesToRead.includes(outcome) && section !== '',
  )
  const [section] = cited?.section.split(',') ?? []
  return section === undefined ? [] : [`Read a section of the contract: npx plant-mock contract ${section}`]
}

const ruleCase = (rule: RuleResult): JunitCase => {
  const row = { classname: cite(rule.section), name: `${rule.id}: ${rule.statement}` }
  if (rule.outcome === 'passed') return row
  return rule.outcome === 'skipped'
    ? { ...row, skipped: rule.reason }
    : { ...row, failure: { message: rule.reason, text: rule.curl } }
}

/** A difference is not a failure, because the contract leaves the point open. */
const assumptionCase = (result: AssumptionResult): JunitCase => {
  const row = { classname: cite(result.section), name: result.id }
  return result.outcome === 'unseen'
    ? { ...row, skipped: result.reason }
    : { ...row, output: `${result.outcome}: found ${result.found}, assumed ${result.assumed}` }
}
