/**
 * One measurement of one server.
 * @typedef {object} Measured
 * @property {string} group
 * @property {string} what
 * @property {string} server
 * @property {LoadOf} [load] What was asked, where that is what was measured.
 * @property {Unit} unit
 * @property {number} value
 * @property {string} [against] What `ratio` compares with: another server, or the same one otherwise.
 * @property {number} [ratio] This to that; where there are rounds, the median of their ratios.
 * @property {readonly number[]} [range] The lowest and the highest ratio of a round.
 * @property {number} [coreRatio] The same of how much is done in the time that a core is busy.
 * @property {number} [failed] Requests that failed, where some did.
 * @property {Aim} [aim]
 * @property {boolean} [ok] Whether it reaches its aim, for machines.
 */

/** @typedef {'/s' | 'ms' | 'µs' | 'MiB' | ''} Unit */
/** @typedef {{ of: 'value' | 'ratio' | 'coreRatio', atLeast?: number, atMost?: number }} Aim */
/** @typedef {{ method: 'GET' | 'POST', plants: number }} LoadOf */
/** @typedef {{ group: string, what: string, server: string, load?: LoadOf, skipped: string }} Skipped */
/** @typedef {Measured | Skipped} Row */

/**
 * What a reader is to know of a peer.
 * @typedef {object} PeerFacts
 * @property {string} name
 * @property {readonly string[]} packages
 * @property {string} command
 * @property {string} differs
 * @property {string} [node] Which versions of Node it asks for.
 */

/**
 * All that a run came to.
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
 * A line of the table.
 * @param {readonly string[]} cells
 */
const line = (cells) =>
  cells
    .map((cell, i) => (i === 0 || i > 4 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    .join('  ')
    .trimEnd()

export const headLine = line(['', '', 'ratio', 'of rounds', 'by core', 'to', 'aim'])

/** @param {Row} row */
export const rowLine = (row) => {
  if ('skipped' in row) return line([`  ${row.server}`, `skipped: ${row.skipped}`])
  const { server, unit, value, against = '', ratio, range, coreRatio, failed = 0, aim } = row
  return line([
    `  ${server}`,
    amount(value, unit),
    ratio === undefined ? '' : times(ratio),
    rangeText(range),
    coreRatio === undefined ? '' : times(coreRatio),
    against,
    [aim && `${aimText(aim, unit)} ${verdict(aim, row)}`, failed > 0 && `${failed} failed`]
      .filter(Boolean)
      .join('  '),
  ])
}

/** @param {readonly number[]} [range] */
export const rangeText = (range) => range?.map(times).join('–') ?? ''

/**
 * @param {number} value
 * @param {Unit} unit
 */
export const amount = (value, unit) => {
  if (unit === '') return value.toLocaleString('en')
  const digits = value === 0 || value >= (unit === '/s' ? 10 : 1000) ? 0 : 1
  const text = value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
  return unit === '/s' ? `${text}/s` : `${text} ${unit}`
}

/**
 * A ratio in three digits, or two places where it is large enough.
 * @param {number} ratio
 */
export const times = (ratio) => {
  if (ratio >= 100) return ratio.toFixed(0)
  if (ratio >= 10) return ratio.toFixed(1)
  return ratio >= 0.095 || ratio === 0 ? ratio.toFixed(2) : ratio.toPrecision(2)
}

/**
 * @param {Aim} aim
 * @param {Unit} unit
 */
export const aimText = ({ of, atLeast, atMost }, unit) =>
  `${atLeast === undefined ? '≤' : '≥'} ${(atLeast ?? atMost)?.toLocaleString('en')}${of === 'value' ? ` ${unit}` : ''}`

/**
 * Whether a measurement reaches its aim.
 * @param {Aim} aim
 * @param {Measured} row
 */
export const verdict = (
  { of, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY },
  row,
) => {
  const value = row[of] ?? Number.NaN
  return value >= atLeast && value <= atMost ? 'ok' : 'below'
}
