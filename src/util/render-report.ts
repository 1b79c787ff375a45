import { type Finding, findingsIn, type Report, sentenceOf } from './report.ts'
import { renderText, type Screen } from './report-text.ts'
import { messageLines, nameOf, printableJson, printableLines } from './terminal.ts'
import { escapeMarkup } from './text.ts'

export const renderJunit = ({ milliseconds, ...report }: Report): string => {
  const { command, verdict, facts, notes, next } = report
  const name = `plant-mock ${command}`
  const found = findingsIn(report)
  const count = (wanted: Finding['outcome']): number => found.filter(({ outcome }) => outcome === wanted).length
  const time = milliseconds === undefined ? '' : ` time="${(milliseconds / 1000).toFixed(3)}"`
  const counts = `tests="${found.length}" failures="${count('failed')}" skipped="${count('skipped')}"${time}`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${name}" ${counts}>`,
    ...found.map((finding) => `    ${renderCase(finding, name)}`),
    `    <system-out>${escapeXml([verdict, ...facts, ...notes, ...next].join('\n'))}</system-out>`,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const renderCase = (finding: ReturnType<typeof findingsIn>[number], suite: string): string => {
  const { name, outcome, section = '', tests = [], exchange, commands = [] } = finding
  const classname = section === '' ? suite : `contract ${section}`
  const message = escapeXml(sentenceOf(finding))
  const lines = [
    ...tests.flatMap((test) => [nameOf(test), ...messageLines(test).map((line) => `  ${line}`)]),
    ...(exchange === undefined ? [] : [exchange.request, ...exchange.diff]),
    ...commands.map(([label, command]) => `${label}: ${command}`),
  ]
  const text = escapeXml(lines.join('\n'))
  const output = [message, ...(text === '' ? [] : [text])].join('&#10;')
  const result = {
    failed: `<failure message="${message}">${text}</failure>`,
    skipped: `<skipped message="${message}"/>`,
    noted: `<system-out>${output}</system-out>`,
    passed: `<system-out>${output}</system-out>`,
  }[outcome]
  return `<testcase classname="${escapeXml(classname)}" name="${escapeXml(name)}">${result}</testcase>`
}

/** Escapes terminal controls as in JSON; characters that XML 1.0 (2.2) excludes become U+FFFD. */
const escapeXml = (text: string): string =>
  escapeMarkup(
    printableLines(text)
      .toWellFormed()
      .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD'),
  ).replaceAll('\n', '&#10;')

const renderers = {
  text: renderText,
  json: ({ data }) => `${printableJson(data, 2)}\n`,
  junit: renderJunit,
} as const satisfies Record<string, (report: Report, screen: Screen) => string>

export type ReportFormat = keyof typeof renderers

export const renderReport = (report: Report, format: ReportFormat, screen: Screen): string =>
  renderers[format](report, screen)
