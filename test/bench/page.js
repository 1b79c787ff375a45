import { environmentText } from './about.js'
import { rowsOf } from './leads.js'
import { formatAim, formatAmount, formatRatio, verdict } from './report.js'
import { table } from './tables.js'
import { baselineName, loggingName } from './targets.js'

/** @import { Measured, Results, Row } from './report.js' */

/**
 * Renders the goals of a run as a page. Everything else is in the JSON beside it.
 * @param {Results} results
 * @returns {string} Markdown.
 */
export const renderPage = (results) =>
  `${[
    '# Benchmarks',
    environmentText(results),
    '![plant-mock and its peers beside a bare node:http server](results.svg)',
    '## Goals',
    `Ratios without another base are to ${baselineName}; flatness is to 1,000 plants. Bold: missed.`,
    goals(rowsOf(results)),
    '[results.json](results.json) has all figures, the method, and how each peer was started. `npm run bench -- --write` measures again.',
  ].join('\n\n')}\n`

/** @param {readonly Row[]} rows */
const goals = (rows) => {
  const groups = [...new Set(rows.map(({ group }) => group))]
  const aimed = rows
    .flatMap((row) => ('skipped' in row || row.aim === undefined ? [] : [{ ...row, aim: row.aim }]))
    .toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))
  return table(
    ['goal', 'measured', 'aim'],
    aimed.map((row) => {
      const { aim, unit } = row
      const measured = aim.of === 'value' ? formatAmount(row.value, unit) : formatRatio(row[aim.of] ?? Number.NaN)
      return [goalName(row), verdict(aim, row) === 'ok' ? measured : `**${measured}**`, formatAim(aim, unit)]
    }),
  )
}

/** @param {Measured} row */
const goalName = ({ group, what, server, load, against = '', aim }) => {
  const loadName = load && `${load.method}, ${load.plants.toLocaleString('en')} plants`
  switch (group) {
    case 'Requests':
      return server === loggingName ? `${loadName}, request log on` : `${loadName}`
    case 'Lead over the fastest peer':
      return `Lead over ${against}: ${loadName}`
    case 'Flatness':
      return `${group}: ${what}`
    case 'Import':
      return `${group}: ${server}`
    default:
      return against === baselineName || aim?.of === 'value' ? what : `${what}, to ${against}`
  }
}
