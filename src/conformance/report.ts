import { type AssumptionValue, findAssumption, valuesOf } from '../assumptions/registry.ts'
import { escapeXml } from '../util/junit.ts'
import type { AssumptionResult, ConformanceReport, RuleResult } from './check.ts'

/** The report as text for people, or as JSON or JUnit XML for machines. */
export const renderConformance = (
  report: ConformanceReport,
  form: 'text' | 'json' | 'junit' = 'text',
  colour = false,
): string =>
  ({
    text: () => asText(report, colour),
    json: () => `${JSON.stringify(report, null, 2)}\n`,
    junit: () => asJunit(report),
  })[form]()

const paints: Readonly<Record<string, number>> = { kept: 32, broken: 31, agrees: 32, differs: 33, other: 33 }

const asText = (report: ConformanceReport, colour: boolean): string => {
  const paint = (word: string) => (colour ? `\u001B[${paints[word] ?? 2}m${word}\u001B[0m` : word)
  const line = (word: string, text: string) => `  ${paint(word)}${' '.repeat(9 - word.length)}${text}`
  return [
    `Rules of the contract, at ${report.baseUrl}`,
    ...report.rules.flatMap((rule) => ruleLines(rule, line)),
    '',
    'Assumptions',
    ...report.assumptions.map((result) => assumptionLine(result, line)),
    '',
    summary(report),
    '',
  ].join('\n')
}

type Line = (word: string, text: string) => string

const ruleLines = (rule: RuleResult, line: Line): readonly string[] => {
  const text = `${rule.id}  ${rule.statement}${rule.section === '' ? '' : ` (contract.md ${rule.section})`}`
  if (rule.outcome === 'passed') return [line('kept', text)]
  if (rule.outcome === 'skipped') return [line('skipped', text), `           ${rule.reason}`]
  return [line('broken', text), `           ${rule.reason}`, `           ${rule.curl}`]
}

const assumptionLine = (result: AssumptionResult, line: Line): string => {
  const { id, section, assumed } = result
  const place = `(contract.md ${section})`
  switch (result.outcome) {
    case 'agrees':
      return line('agrees', `${id} = ${result.found}  ${place}`)
    case 'differs':
      return line(
        'differs',
        `${id} = ${result.found}, assumed ${assumed}: ${meaning(id, result.found)}  ${place}`,
      )
    case 'other':
      return line('other', `${id}: ${result.found}; that is none of ${values(id)}  ${place}`)
    case 'unseen':
      return line('unseen', `${id}: ${result.reason}  ${place}`)
  }
}

const meaning = (id: string, value: AssumptionValue): string => findAssumption(id)?.meaning(value) ?? ''
const values = (id: string): string => {
  const row = findAssumption(id)
  return row === undefined ? '' : valuesOf(row).join(', ')
}

const count = <T extends { readonly outcome: string }>(
  results: readonly T[],
  ...outcomes: readonly string[]
): number => results.filter(({ outcome }) => outcomes.includes(outcome)).length

const summary = ({ rules, assumptions, requests, created }: ConformanceReport): string => {
  const kept = `${count(rules, 'passed')} rules kept, ${count(rules, 'failed')} broken, ${count(rules, 'skipped')} skipped`
  const agree = `${count(assumptions, 'agrees')} assumptions agree, ${count(assumptions, 'differs', 'other')} differ, ${count(assumptions, 'unseen')} could not be seen`
  return `${kept}; ${agree}. ${requests} requests, ${created} plants created.`
}

const asJunit = ({ rules, assumptions }: ConformanceReport): string => {
  const failed = count(rules, 'failed')
  const unseen = count(assumptions, 'unseen')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${rules.length + assumptions.length}" failures="${failed}">`,
    `  <testsuite name="rules" tests="${rules.length}" failures="${failed}" skipped="${count(rules, 'skipped')}">`,
    ...rules.map(ruleCase),
    '  </testsuite>',
    // What differs from an assumption is no failure of the service: the contract leaves the point open.
    `  <testsuite name="assumptions" tests="${assumptions.length}" failures="0" skipped="${unseen}">`,
    ...assumptions.map(assumptionCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const ruleCase = (rule: RuleResult): string => {
  const open = `    <testcase classname="contract.md ${rule.section}" name="${escapeXml(`${rule.id}: ${rule.statement}`)}"`
  if (rule.outcome === 'passed') return `${open}/>`
  if (rule.outcome === 'skipped') return `${open}><skipped message="${escapeXml(rule.reason)}"/></testcase>`
  return `${open}><failure message="${escapeXml(rule.reason)}">${escapeXml(rule.curl)}</failure></testcase>`
}

const assumptionCase = (result: AssumptionResult): string => {
  const open = `    <testcase classname="contract.md ${result.section}" name="${result.id}"`
  if (result.outcome === 'unseen')
    return `${open}><skipped message="${escapeXml(result.reason)}"/></testcase>`
  const text = `${result.outcome}: found ${result.found}, assumed ${result.assumed}`
  return `${open}><system-out>${escapeXml(text)}</system-out></testcase>`
}
