import { appendFile } from 'node:fs/promises'
import { printableLines, type ReportedTest } from '../util/terminal.ts'
import { describeChange } from '../verify/read/change.ts'
import { isNewlyBroken, type RuleState } from '../verify/read/learned.ts'
import { type Drift, isAlarming, isBreaking } from '../verify/report/changes-report.ts'
import type { statedOnce } from '../verify/report/compare-learned.ts'
import type { Terminal } from './command.ts'

/** One line of the table in a job summary. */
export type SummaryRow = { readonly what: string; readonly test?: ReportedTest }

/** One finding for each test; if no test is known, one finding without a test. */
export const findings = (what: string, tests: readonly ReportedTest[]): readonly SummaryRow[] =>
  tests.length === 0 ? [{ what }] : tests.map((test) => ({ what, test }))

/**
 * Newly broken rules, changes that break or may break a test, and statements.
 * @param stated What only one of two documents states.
 */
export const driftFindings = (
  {
    rules,
    changes = [],
    allAtOnce,
  }: Partial<Pick<Drift, 'changes' | 'allAtOnce'>> & { readonly rules: readonly RuleState[] },
  stated: ReturnType<typeof statedOnce> = { points: [], texts: [] },
): readonly SummaryRow[] => [
  ...rules.filter(isNewlyBroken).map(({ id }) => ({ what: `${id} is broken` })),
  ...changes
    .filter((change) => isAlarming({ changes: [change], ...(allAtOnce && { allAtOnce: { breaks: [] } }) }))
    .flatMap((change) => findings(`${change.id}: ${describeChange(change)}`, change.breaks ?? [])),
  ...stated.points.map((change) => ({ what: `${change.id}: ${describeChange(change)}` })),
  ...stated.texts.map((what) => ({ what })),
  ...(allAtOnce !== undefined && isBreaking(allAtOnce)
    ? findings('fails only with all changes at once', allAtOnce.breaks)
    : []),
]

type Summary = {
  /** In one sentence. */
  readonly verdict: string
  readonly findings: readonly SummaryRow[]
}

/** GitHub refuses a summary over 1 MiB. */
const maxRows = 100

/**
 * In GitHub Actions, annotates the tests of the findings in a pull request, and appends a job summary. Annotations go
 * to standard error, so that a report on standard output stays intact.
 */
export const reportToGitHub = async (
  { environment, error }: Pick<Terminal, 'environment' | 'error'>,
  command: string,
  { verdict, findings }: Summary,
): Promise<void> => {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY: file } = environment
  if (GITHUB_ACTIONS === 'true') error(findings.map((finding) => annotation(finding, command)).join(''))
  if (!file) return
  const knowsTests = findings.some(({ test }) => test !== undefined)
  const row = (cells: readonly string[]): string => `| ${(knowsTests ? cells : cells.slice(0, 1)).join(' | ')} |`
  const table = [
    row(['Finding', 'Test', 'Place']),
    row(['---', '---', '---']),
    ...findings.slice(0, maxRows).map(({ what, test }) => row([what, test?.name, placeOf(test)].map(cell))),
  ]
  const parts = [`### plant-mock ${command}`, cell(verdict), ...(findings.length === 0 ? [] : [table.join('\n')])]
  const text = parts.join('\n\n')
  await appendFile(file, `${text}\n\n`).catch((reason: Error) =>
    error(`The job summary cannot be written: ${reason.message}.\n`),
  )
}

const placeOf = (test: ReportedTest | undefined): string =>
  test === undefined ? '' : `${test.file}${test.line === undefined ? '' : `:${test.line}`}`

/** Text for a table cell: it must neither be markup nor end the cell. */
const cell = (text = ''): string =>
  printableLines(text)
    .replaceAll(/[\\`*_[\]<>&|~#]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(/\s*[\r\n]+\s*/g, '<br>')

const annotation = ({ what, test }: SummaryRow, command: string): string => {
  if (test === undefined) return ''
  const { file, line, name, message = '' } = test
  const properties = { file, ...(line !== undefined && { line: String(line) }), title: `plant-mock ${command}` }
  const listed = Object.entries(properties).map(([key, value]) => `${key}=${property(value)}`)
  return `::error ${listed.join(',')}::${data(`${name}: ${what}${message === '' ? '' : `\n${message}`}`)}\n`
}

/** Workflow commands end at a line break, and `%` begins an escape sequence. */
const data = (text: string): string =>
  printableLines(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
