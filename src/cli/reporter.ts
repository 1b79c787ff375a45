import { appendFile } from 'node:fs/promises'
import { renderReport } from '../util/render-report.ts'
import { failuresIn, type Report, sentenceOf } from '../util/report.ts'
import { printableLines, type ReportedTest } from '../util/terminal.ts'
import type { Terminal } from './command.ts'
import type { Values } from './options.ts'

export const printReport = async (report: Report, { reporter = 'text' }: Values, terminal: Terminal): Promise<void> => {
  terminal.out(renderReport(report, reporter, terminal))
  await reportToGitHub(terminal, report)
}

type Row = { readonly what: string; readonly test?: ReportedTest }

const maxRows = 100

const rowsOf = (report: Report): readonly Row[] =>
  failuresIn(report).flatMap((finding) => {
    const { name, tests = [] } = finding
    const what = `${name}: ${sentenceOf(finding)}`
    return tests.length === 0 ? [{ what }] : tests.map((test) => ({ what, test }))
  })

/** Writes annotations to standard error, so that a report on standard output stays valid. */
export const reportToGitHub = async (
  { environment, error }: Pick<Terminal, 'environment' | 'error'>,
  report: Report,
): Promise<void> => {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY: file } = environment
  const rows = rowsOf(report)
  if (GITHUB_ACTIONS === 'true') error(rows.map((row) => annotation(row, report.command)).join(''))
  if (!file) return
  await appendFile(file, `${summary(rows, report)}\n\n`).catch((reason: Error) =>
    error(`The job summary cannot be written: ${reason.message}.\n`),
  )
}

const summary = (rows: readonly Row[], { command, verdict }: Report): string => {
  const knowsTests = rows.some(({ test }) => test !== undefined)
  const line = (cells: readonly string[]): string => `| ${(knowsTests ? cells : cells.slice(0, 1)).join(' | ')} |`
  const table = [
    line(['Finding', 'Test', 'Place']),
    line(['---', '---', '---']),
    ...rows.slice(0, maxRows).map(({ what, test }) => line([what, test?.name, placeOf(test)].map(cell))),
  ]
  return [`### plant-mock ${command}`, cell(verdict), ...(rows.length === 0 ? [] : [table.join('\n')])].join('\n\n')
}

const placeOf = (test: ReportedTest | undefined): string =>
  test === undefined ? '' : `${test.file}${test.line === undefined ? '' : `:${test.line}`}`

const cell = (text = ''): string =>
  printableLines(text)
    .replaceAll(/[\\`*_[\]<>&|~#]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(/\s*[\r\n]+\s*/g, '<br>')

const annotation = ({ what, test }: Row, command: string): string => {
  if (test === undefined) return ''
  const { file, line, name, message = '' } = test
  const properties = { file, ...(line !== undefined && { line: String(line) }), title: `plant-mock ${command}` }
  const listed = Object.entries(properties).map(([key, value]) => `${key}=${property(value)}`)
  return `::error ${listed.join(',')}::${data(`${name}: ${what}${message === '' ? '' : `\n${message}`}`)}\n`
}

/** Escapes text for GitHub's workflow commands, in which a line break ends a command and `%` begins an escape. */
const data = (text: string): string =>
  printableLines(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
