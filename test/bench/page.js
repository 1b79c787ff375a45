import { environmentText, methodText, noiseText, peersText } from './about.js'
import { rowsOf } from './leads.js'
import { percent } from './noise.js'
import { formatAim, formatAmount, formatNumber, formatRange, formatRatio, verdict } from './report.js'
import { pivot, table } from './tables.js'
import { baselineName, loggingName, plantMockName } from './targets.js'

/** @import { Measured, Results, Row } from './report.js' */

/**
 * Renders the results of a run as a page.
 * @param {Results} results
 * @returns {string} Markdown.
 */
export const renderPage = (results) => {
  const rows = rowsOf(results)
  return [
    `# Benchmarks\n\n${environmentText(results)}`,
    '![plant-mock and its peers beside a bare node:http server](results.svg)',
    section('Goals', goals(rows)),
    ...sizesOf(rows).map((plants) =>
      section(`Requests, ${plants.toLocaleString('en')} plants`, requests(rows, plants)),
    ),
    section('Start, memory and install', footprints(rows)),
    section('Large stores', largeStores(rows)),
    section('In a test', inProcess(rows)),
    section('Import', imports(rows)),
    section('Noise check', `${noiseText}\n\n${noiseChecks(results)}`),
    section('Method', methodText(results)),
    section('Peers', peersText(results)),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
    .concat('\n')
}

/**
 * @param {string} title
 * @param {string} text
 */
const section = (title, text) => (text === '' ? '' : `## ${title}\n\n${text}`)

/** @param {readonly Row[]} rows */
const goals = (rows) => {
  const groups = [...new Set(rows.map(({ group }) => group))]
  const aimed = rows
    .flatMap((row) => ('skipped' in row || row.aim === undefined ? [] : [{ ...row, aim: row.aim }]))
    .toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))
  return table(
    ['goal', 'measured', 'of rounds', 'by core', 'of rounds', 'aim', ''],
    aimed.map((row) => {
      const { aim } = row
      const reached = verdict(aim, row)
      const [measured, ofRounds] =
        aim.of === 'value'
          ? [formatAmount(row.value, row.unit), amountRange(row)]
          : [ratioText(row.ratio), formatRange(row.range)]
      return [
        goalName(row),
        ...[measured, ofRounds, ratioText(row.coreRatio), formatRange(row.coreRange)],
        `${formatAim(aim, row.unit)}${aim.of === 'coreRatio' ? ' by core' : ''}`,
        reached === 'ok' ? 'ok' : `**${reached}**`,
      ]
    }),
  )
}

/** @param {Measured} row */
const amountRange = ({ valueRange: range, unit }) =>
  range === undefined ? '' : `${formatNumber(range[0], unit)}–${formatAmount(range[1], unit)}`

/** @param {Measured} row */
const goalName = ({ group, what, server, against, aim }) => {
  const log = server === loggingName ? ', request log on' : ''
  const about = group === 'Requests' ? `${what}${log}` : group === 'Import' ? `Import: ${server}` : `${group}: ${what}`
  return against === undefined || aim?.of === 'value' ? about : `${about}, to ${against}`
}

/** @param {readonly Row[]} rows */
const sizesOf = (rows) => [...new Set(rows.flatMap(({ load }) => load?.plants ?? []))]

/**
 * @param {readonly Row[]} rows
 * @param {number} plants
 */
const requests = (rows, plants) => {
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
 * @param {readonly Row[]} rows
 * @param {...string} groups
 */
const rowsIn = (rows, ...groups) => groups.flatMap((name) => rows.filter(({ group }) => group === name))

/** @param {readonly Row[]} rows */
const footprints = (rows) =>
  pivot(
    'server',
    rowsIn(rows, 'Start', 'Memory', 'Install'),
    ({ server }) => server,
    ({ what }) => what,
  )

/** @param {readonly Row[]} rows */
const largeStores = (rows) => {
  const stores = rowsIn(rows, 'Large stores')
  const ratios = stores.flatMap((row) => {
    const of = row.what.split(': ')[0] ?? ''
    return 'skipped' in row || row.ratio === undefined ? [] : [[of, ratioText(row.ratio), formatRange(row.range)]]
  })
  return [
    pivot(
      'plant-mock with',
      [...stores, ...rowsIn(rows, 'Sessions')],
      ({ what }) => what.split(': ')[0] ?? '',
      ({ what }) => what.split(': ')[1] ?? '',
    ),
    table(['first response with', 'to reading and parsing the file', 'of rounds'], ratios),
  ].join('\n\n')
}

/** @param {readonly Row[]} rows */
const inProcess = (rows) =>
  table(
    ['handler, call or test', 'CPU time', 'ratio', 'of rounds', 'to'],
    rowsIn(rows, 'In process, through msw', 'In process, under vary', 'In process, calls').flatMap((row) =>
      'skipped' in row
        ? []
        : [
            [
              row.server === plantMockName ? row.what : `${row.what.split(',')[0]}: ${row.server}`,
              ...[formatAmount(row.value, row.unit), ratioText(row.ratio), formatRange(row.range), row.against ?? ''],
            ],
          ],
    ),
  )

/** @param {readonly Row[]} rows */
const imports = (rows) =>
  pivot(
    'module',
    rowsIn(rows, 'Import'),
    ({ server }) => server,
    ({ what }) => what,
  )

/** @param {Results} results */
const noiseChecks = ({ groups }) =>
  table(
    ['group', 'rounds', 'repeated', 'slowest loop', 'baselines differ'],
    groups
      .filter(({ noise }) => noise.rounds > 0)
      .map(({ name, noise: { rounds, repeated, slowdown, difference } }) => [
        name,
        ...[String(rounds), String(repeated), `+${percent(slowdown)}`, percent(difference)],
      ]),
  )
