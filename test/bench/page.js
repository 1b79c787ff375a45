import { environmentText, methodText, peersText } from './about.js'
import { formatAim, formatAmount, formatRange, formatRatio, verdict } from './report.js'
import { baselineName } from './targets.js'

/** @import { Measured, Results, Row } from './report.js' */

/**
 * Renders the results of a run as a page.
 * @param {Results} results
 * @returns {string} Markdown.
 */
export const renderPage = (results) =>
  [
    `# Benchmarks\n\n${environmentText(results)}`,
    '![plant-mock and its peers beside a bare node:http server](results.svg)',
    section('Goals', goals(results)),
    ...sizesOf(results).map((plants) =>
      section(`Requests, ${plants.toLocaleString('en')} plants`, requests(results, plants)),
    ),
    section('Start, memory and install', footprints(results)),
    section('Large stores', largeStores(results)),
    section('In a test, through msw', inProcess(results)),
    section('Import', imports(results)),
    section('Method', methodText(results)),
    section('Peers', peersText(results)),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
    .concat('\n')

/**
 * @param {string} title
 * @param {string} text
 */
const section = (title, text) => (text === '' ? '' : `## ${title}\n\n${text}`)

/**
 * Renders a table with aligned columns.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows Cells; the first column is aligned left, the others right.
 */
const table = (head, rows) => {
  if (rows.length === 0) return ''
  const lines = [head, ...rows].map((cells) => cells.map(cellText))
  const widths = head.map((_, i) => Math.max(3, ...lines.map((cells) => cells[i]?.length ?? 0)))
  /** @type {(text: string, i: number) => string} */
  const padded = (text, i) => (i === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[i] ?? 0))
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [first = [], ...others] = lines.map((cells) => cells.map(padded))
  return [first, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** @param {string} text */
const cellText = (text) => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')

/** @param {Results} results */
const goals = ({ rows }) => {
  const groups = [...new Set(rows.map(({ group }) => group))]
  const aimed = rows
    .flatMap((row) => ('skipped' in row || row.aim === undefined ? [] : [{ ...row, aim: row.aim }]))
    .toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))
  return table(
    ['goal', 'measured', 'of rounds', 'by core', 'aim', ''],
    aimed.map(({ aim, ...row }) => {
      const value = row[aim.of]
      const reached = verdict(aim, row)
      return [
        goalName(row),
        aim.of === 'value' ? formatAmount(row.value, row.unit) : value === undefined ? '' : formatRatio(value),
        aim.of === 'ratio' ? formatRange(row.range) : '',
        row.coreRatio === undefined ? '' : formatRatio(row.coreRatio),
        formatAim(aim, row.unit),
        reached === 'ok' ? 'ok' : `**${reached}**`,
      ]
    }),
  )
}

/** @param {Measured} row */
const goalName = ({ group, what, server, against }) => {
  const about = group === 'Requests' ? what : group === 'Import' ? `Import: ${server}` : `${group}: ${what}`
  return against === undefined ? about : `${about}, to ${against}`
}

/** @param {Results} results */
const sizesOf = ({ rows }) => [...new Set(rows.flatMap(({ load }) => load?.plants ?? []))]

/**
 * @param {Results} results
 * @param {number} plants
 */
const requests = ({ rows }, plants) => {
  const measured = rows.filter(({ load }) => load?.plants === plants)
  const servers = [...new Set(measured.map(({ server }) => server))]
  /**
   * @param {string} server
   * @param {'GET' | 'POST'} method
   */
  const cells = (server, method) => {
    const row = measured.find((row) => row.server === server && row.load?.method === method)
    if (row === undefined) return ['', '', '']
    if ('skipped' in row) return [row.skipped, '', '']
    const failed = row.failed === undefined ? '' : ` (${row.failed.toLocaleString('en')} failed)`
    return [
      `${formatAmount(row.value, row.unit)}${failed}`,
      server === baselineName ? formatRatio(1) : ratioText(row.ratio),
      server === baselineName ? formatRatio(1) : ratioText(row.coreRatio),
    ]
  }
  return table(
    ['server', 'GET', 'to baseline', 'by core', 'POST', 'to baseline', 'by core'],
    servers.map((server) => [server, ...cells(server, 'GET'), ...cells(server, 'POST')]),
  )
}

/** @param {number | undefined} ratio */
const ratioText = (ratio) => (ratio === undefined ? '' : formatRatio(ratio))

/**
 * Renders rows as a table with one line for each key of `lineOf` and one column for each of `columnOf`.
 * @param {string} corner
 * @param {readonly Row[]} rows
 * @param {(row: Row) => string} lineOf
 * @param {(row: Row) => string} columnOf
 */
const pivot = (corner, rows, lineOf, columnOf) => {
  const columns = [...new Set(rows.map(columnOf))]
  const lines = [...new Set(rows.map(lineOf))]
  /** @type {(line: string, column: string) => string} */
  const cell = (line, column) => {
    const row = rows.find((row) => lineOf(row) === line && columnOf(row) === column)
    if (row === undefined) return ''
    return 'skipped' in row ? row.skipped : formatAmount(row.value, row.unit)
  }
  return table(
    [corner, ...columns],
    lines.map((line) => [line, ...columns.map((column) => cell(line, column))]),
  )
}

/**
 * @param {Results} results
 * @param {...string} groups
 */
const rowsIn = ({ rows }, ...groups) => rows.filter(({ group }) => groups.includes(group))

/** @param {Results} results */
const footprints = (results) =>
  pivot(
    'server',
    rowsIn(results, 'Start', 'Memory', 'Install').toSorted((a, b) => order(a) - order(b)),
    ({ server }) => server,
    ({ what }) => what,
  )

/** @param {Row} row */
const order = ({ group }) => ['Start', 'Memory', 'Install'].indexOf(group)

/** @param {Results} results */
const largeStores = (results) =>
  pivot(
    'plant-mock with',
    rowsIn(results, 'Large stores'),
    ({ what }) => what.split(': ')[0] ?? '',
    ({ what }) => what.split(': ')[1] ?? '',
  )

/** @param {Results} results */
const inProcess = (results) =>
  table(
    ['handler', 'user time of a request', 'ratio', 'of rounds'],
    rowsIn(results, 'In process, through msw').flatMap((row) =>
      'skipped' in row
        ? []
        : [
            [
              `${row.what.split(',')[0]}: ${row.server}`,
              formatAmount(row.value, row.unit),
              ratioText(row.ratio),
              formatRange(row.range),
            ],
          ],
    ),
  )

/** @param {Results} results */
const imports = (results) =>
  pivot(
    'module',
    rowsIn(results, 'Import'),
    ({ server }) => server,
    ({ what }) => what,
  )
