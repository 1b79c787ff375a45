/**
 * One measurement of one server.
 * @typedef {object} Measured
 * @property {string} group
 * @property {string} what
 * @property {string} server
 * @property {MeasuredLoad} [load] The load, for a measurement of requests.
 * @property {Unit} unit
 * @property {number} value
 * @property {string} [against] The base of `ratio`: another server, or plant-mock under other conditions.
 * @property {number} [ratio] The ratio to `against`; with rounds, the median of their ratios.
 * @property {readonly number[]} [range] The lowest and the highest ratio of a round.
 * @property {number} [coreRatio] The same ratio by CPU time.
 * @property {number} [failed] The number of failed requests, if any.
 * @property {Aim} [aim]
 * @property {boolean} [ok] Whether it reaches its aim; set in JSON output only.
 */

/** @typedef {'/s' | 'ms' | 'µs' | 'MiB' | ''} Unit */
/** @typedef {{ of: 'value' | 'ratio' | 'coreRatio', atLeast?: number, atMost?: number }} Aim */
/** @typedef {{ method: 'GET' | 'POST', plants: number }} MeasuredLoad */
/** @typedef {{ group: string, what: string, server: string, load?: MeasuredLoad, skipped: string }} Skipped */
/** @typedef {Measured | Skipped} Row */

/**
 * Facts about a peer for RESULTS.md.
 * @typedef {object} PeerFacts
 * @property {string} name
 * @property {readonly string[]} packages
 * @property {string} command
 * @property {string} differs
 * @property {string} [node] The versions of Node that it requires.
 */

/**
 * The results of a run.
 * @typedef {object} Results
 * @property {string} date
 * @property {Environment} environment
 * @property {{ rounds: number, peerRounds: number, seconds: number, warmUp: number,
 *   fetches: number, fetchRounds: number }} settings
 * @property {readonly PeerFacts[]} peers
 * @property {Row[]} rows
 */

/** @typedef {{ node: string, platform: string, processor: string, cores: number, memory: number, tool: string,
 *   pinned: boolean, busy: number, version: string, msw: string }} Environment */

const widths = [34, 12, 7, 13, 9, 22, 5]

/**
 * Formats a line of the table.
 * @param {readonly string[]} cells
 */
const line = (cells) =>
  cells
    .map((cell, i) => (i === 0 || i > 4 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    .join('  ')
    .trimEnd()

export const headerLine = line(['', '', 'ratio', 'of rounds', 'by core', 'to', 'aim'])

/** @param {Row} row */
export const rowLine = (row) => {
  if ('skipped' in row) return line([`  ${row.server}`, `skipped: ${row.skipped}`])
  const { server, unit, value, against = '', ratio, range, coreRatio, failed = 0, aim } = row
  return line([
    `  ${server}`,
    formatAmount(value, unit),
    ratio === undefined ? '' : formatRatio(ratio),
    formatRange(range),
    coreRatio === undefined ? '' : formatRatio(coreRatio),
    against,
    [aim && `${formatAim(aim, unit)} ${verdict(aim, row)}`, failed > 0 && `${failed} failed`]
      .filter(Boolean)
      .join('  '),
  ])
}

/** @param {readonly number[]} [range] */
export const formatRange = (range) => range?.map(formatRatio).join('–') ?? ''

/**
 * @param {number} value
 * @param {Unit} unit
 */
export const formatAmount = (value, unit) => {
  if (unit === '') return value.toLocaleString('en')
  const digits = value === 0 || value >= (unit === '/s' ? 10 : 1000) ? 0 : 1
  const text = value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
  return unit === '/s' ? `${text}/s` : `${text} ${unit}`
}

/**
 * Formats a ratio with three significant digits, or two decimal places.
 * @param {number} ratio
 */
export const formatRatio = (ratio) => {
  if (ratio >= 100) return ratio.toFixed(0)
  if (ratio >= 10) return ratio.toFixed(1)
  return ratio >= 0.095 || ratio === 0 ? ratio.toFixed(2) : ratio.toPrecision(2)
}

/**
 * @param {Aim} aim
 * @param {Unit} unit
 */
export const formatAim = ({ of: figure, atLeast, atMost }, unit) =>
  `${atLeast === undefined ? '≤' : '≥'} ${(atLeast ?? atMost)?.toLocaleString('en')}${figure === 'value' ? ` ${unit}` : ''}`

/**
 * Returns whether a measurement reaches its aim.
 * @param {Aim} aim
 * @param {Measured} row
 */
export const verdict = ({ of: figure, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }, row) => {
  const value = row[figure] ?? Number.NaN
  return value >= atLeast && value <= atMost ? 'ok' : 'below'
}
