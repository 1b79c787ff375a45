import { type Finding, findingsIn, type Outcome, type Report, type Section, sentenceOf } from './report.ts'
import {
  lineWidth,
  messageLines,
  nameOf,
  type Paint,
  printable,
  printableJson,
  printableLines,
  type ReportedTest,
  type Style,
  wrap,
} from './terminal.ts'
import { escapeMarkup, shorten } from './text.ts'
import { plural } from './words.ts'

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

/** Writes U+FFFD for characters that XML 1.0 excludes (section 2.2). */
const escapeXml = (text: string): string =>
  escapeMarkup(
    printableLines(text)
      .toWellFormed()
      .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD'),
  ).replaceAll('\n', '&#10;')

export type Screen = {
  readonly paint: Paint
  readonly width?: number | undefined
}

const minWidth = 60
const maxFindingLines = 10
const minExchangeLines = 4

const styles: Readonly<Record<Outcome, Style>> = { failed: 'red', noted: 'yellow', skipped: 'yellow', passed: 'green' }

export const renderText = (report: Report, { paint, ...screen }: Screen): string => {
  const width = Math.max(minWidth, screen.width ?? lineWidth)
  const { verdict, style, facts, sections, notes, next } = report
  const shown = (text: string): readonly string[] => wrap(printable(text), width)
  return [
    ...shown(verdict).map((line) => paint(style, line)),
    ...facts.flatMap(shown),
    ...sections.flatMap((section) => sectionLines(section, paint, width)),
    ...paragraph(notes.flatMap(shown)),
    ...paragraph(next.map(printable)),
    '',
  ].join('\n')
}

const paragraph = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['', ...lines])

const sectionLines = (section: Section, paint: Paint, width: number): readonly string[] => {
  const { title, findings = [], sentences = [], layout, maxNames } = section
  if (layout === 'hidden') return []
  const texts = layout === 'names' ? [...groups(findings, maxNames), ...sentences] : sentences
  const lines = [
    ...(layout === 'rows' ? alignedRows(findings, width) : []),
    ...(layout === undefined ? findings : []).flatMap((finding, index) =>
      findingLines(finding, findings[index - 1], paint, width),
    ),
    ...texts.flatMap((text) => indented(2, printable(text), width)),
  ]
  return lines.length === 0 ? [] : ['', ...wrap(printable(title), width).map((line) => paint('bold', line)), ...lines]
}

const groups = (findings: readonly Finding[], maxNames = Number.POSITIVE_INFINITY): readonly string[] =>
  [...new Set(findings.map(groupOf))].map((key) => {
    const group = findings.filter((finding) => groupOf(finding) === key)
    const [{ reason } = {} as Finding] = group
    const names = group.map(({ name }) => name)
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
    return `${names.slice(0, maxNames).join(', ')}${more}${reason === undefined ? '' : `: ${reason}`}`
  })

const groupOf = ({ name, reason }: Finding): string | undefined => reason ?? /^\w+\./.exec(name)?.[0]

const findingLines = (
  finding: Finding,
  previous: Finding | undefined,
  paint: Paint,
  width: number,
): readonly string[] => {
  const { name, outcome, text, section = '', effect, reason, tests = [], exchange, commands = [] } = finding
  const cited = section === '' ? '' : ` (contract ${section})`
  const known = printable(withoutMiddle(name))
  const head = `${known}${text === undefined ? '' : `: ${printable(withoutMiddle(text))}`}${cited}${effect === undefined ? '' : ` — ${printable(effect)}`}`
  const [first = '', ...rest] = indented(2, head, width)
  const above = [...rest, ...(reason === undefined ? [] : indented(4, printable(reason), width))]
  const below = commands.map(([label, command]) => `    ${label}  ${printable(command)}`)
  const room = maxFindingLines - 1 - above.length - below.length
  const short = (line: string): string => `  ${shorten(printable(line), width - 7)}`
  const blocks = isSameList(tests, previous?.tests ?? [])
    ? [['the same tests']]
    : tests.map((test) => [printable(nameOf(test)), ...messageLines(test).map(short)])
  const exchangeRoom = Math.max(minExchangeLines, room - blocks.flat().length)
  const response =
    exchange === undefined
      ? []
      : [printable(exchange.request), ...bothSides(exchange.diff, exchangeRoom - 1).map(short)]
  const details = [...folded(blocks, room - response.length), ...response]
  return [
    first.replace(known, () => paint(styles[outcome], known)),
    ...above,
    ...cut(details, Math.max(1, room)).map((line) => `    ${painted(line, paint)}`),
    ...below,
  ]
}

const withoutMiddle = (text: string): string =>
  text.length > 300 ? `${text.slice(0, 200)} … ${text.slice(-80)}` : text

const isSameList = (tests: readonly ReportedTest[], others: readonly ReportedTest[]): boolean =>
  tests.length > 0 && tests.map(nameOf).join('\n') === others.map(nameOf).join('\n')

const bothSides = (diff: readonly string[], max: number): readonly string[] => {
  if (diff.length <= max) return diff
  const before = diff.filter((line) => line.startsWith('-')).slice(0, Math.max(1, Math.floor(max / 2)))
  const after = diff.filter((line) => line.startsWith('+')).slice(0, max - before.length)
  return [...before, ...after]
}

const cut = (lines: readonly string[], max: number): readonly string[] =>
  lines.length <= max ? lines : [...lines.slice(0, max - 1), '…']

const folded = (blocks: readonly (readonly string[])[], max: number): readonly string[] => {
  const lines: string[] = []
  for (const [index, block] of blocks.entries()) {
    const left = max - lines.length - (index < blocks.length - 1 ? 1 : 0)
    if (index > 0 && left < Math.min(block.length, 2))
      return [...lines, `and ${plural(blocks.length - index, 'more test')}`]
    lines.push(...cut(block, Math.max(1, left)))
  }
  return lines
}

const painted = (line: string, paint: Paint): string => {
  const [mark] = line.trimStart()
  return mark === '-' ? paint('red', line) : mark === '+' ? paint('green', line) : line
}

const indented = (by: number, text: string, width: number): readonly string[] =>
  wrap(text, width - by - 2).map((line, index) => `${' '.repeat(index === 0 ? by : by + 2)}${line}`)

const maxLeftWidth = 36

const alignedRows = (findings: readonly Finding[], width: number): readonly string[] => {
  const pairs = findings.map(({ name, reason = '' }) => [printable(withoutMiddle(name)), printable(reason)] as const)
  const column = Math.max(0, ...pairs.map(([left]) => left.length).filter((length) => length <= maxLeftWidth))
  return pairs.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrap(right, width - column - 4).map((line) => `${' '.repeat(column + 4)}${line}`)
    if (left.length > column) return [...indented(2, left, width), first, ...rest]
    return [`  ${left.padEnd(column)}${first.slice(column + 2)}`, ...rest]
  })
}

const renderers = {
  text: renderText,
  json: ({ data }) => `${printableJson(data, 2)}\n`,
  junit: renderJunit,
} as const satisfies Record<string, (report: Report, screen: Screen) => string>

export type ReportFormat = keyof typeof renderers

export const renderReport = (report: Report, format: ReportFormat, screen: Screen): string =>
  renderers[format](report, screen)
