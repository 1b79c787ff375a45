/**
 * One measurement. `floor` is what bare node:http does, where that can be compared.
 * @typedef {object} Measured
 * @property {string} group
 * @property {string} what
 * @property {'/s' | 'ms' | 'MiB'} unit
 * @property {number} [floor]
 * @property {number} [ours]
 * @property {number} [ratio] `ours` to `floor`: where there are rounds, the median of their ratios.
 * @property {readonly number[]} [range] The lowest and the highest ratio of a round.
 * @property {number} [coreRatio] The same of the time that an answer keeps a core busy.
 * @property {Aim} [aim]
 */

/** @typedef {{ of: 'ratio' | 'ours', atLeast?: number, atMost?: number }} Aim */

/** @typedef {{ group: string, what: string, skipped: string }} Skipped */

/** @typedef {Measured | Skipped} Row */

const widths = [50, 12, 12, 7, 13, 9, 12, 5]

/**
 * A line of the table.
 * @param {readonly string[]} cells
 */
const line = (cells) =>
  cells
    .map((cell, i) => (i === 0 || i > 5 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    .join('  ')
    .trimEnd()

export const headLine = line(['', 'floor', 'plant-mock', 'ratio', 'of rounds', 'by core', 'aim', ''])

/** @param {Row} row */
export const rowLine = (row) => {
  if ('skipped' in row) return line([row.what, `skipped: ${row.skipped}`])
  const { what, unit, floor, ours, ratio, range = [], coreRatio, aim } = row
  return line([
    what,
    amount(floor, unit),
    amount(ours, unit),
    ratio?.toFixed(2) ?? '',
    range.map((value) => value.toFixed(2)).join('–'),
    coreRatio?.toFixed(2) ?? '',
    aim === undefined ? '' : aimText(aim, unit),
    aim === undefined ? '' : reaches(aim, row) ? 'ok' : 'below',
  ])
}

/**
 * @param {number | undefined} value
 * @param {Measured['unit']} unit
 */
const amount = (value, unit) => {
  if (value === undefined) return ''
  if (unit === '/s') return `${Math.round(value).toLocaleString('en')}/s`
  return `${value.toFixed(1)} ${unit}`
}

/**
 * @param {Aim} aim
 * @param {Measured['unit']} unit
 */
const aimText = ({ of, atLeast, atMost }, unit) =>
  `${atLeast === undefined ? '≤' : '≥'} ${atLeast ?? atMost}${of === 'ours' ? ` ${unit}` : ''}`

/**
 * Whether a measurement reaches its aim.
 * @param {Aim} aim
 * @param {Measured} row
 */
export const reaches = (
  { of, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY },
  row,
) => {
  const value = row[of] ?? Number.NaN
  return value >= atLeast && value <= atMost
}
