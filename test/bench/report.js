import { isTrusted } from './noise.js'

/** @import { Noise } from './noise.js' */
/** @import { Range } from './numbers.js' */
/** @import { Settings } from './settings.js' */

/**
 * One measurement of one server.
 * @typedef {object} Measured
 * @property {string} group
 * @property {string} what
 * @property {string} server
 * @property {MeasuredLoad} [load] The load, for a measurement of requests.
 * @property {Unit} unit
 * @property {number} value The median of the rounds.
 * @property {Range} [valueRange] The lowest and the highest value of a round.
 * @property {string} [against] The base of `ratio`: another server, or plant-mock under other conditions.
 * @property {number} [ratio] The median of the ratios to `against` of each round.
 * @property {Range} [range] The lowest and the highest ratio of a round.
 * @property {number} [coreRatio] The same ratio by CPU time of the server for each response.
 * @property {Range} [coreRange]
 * @property {number} [failed] The number of failed requests, if any.
 * @property {Aim} [aim]
 */

/** @typedef {'/s' | 'ms' | 'µs' | 'MiB' | ''} Unit */
/** @typedef {{ of: 'value' | 'ratio' | 'coreRatio', atLeast?: number, atMost?: number }} Aim */
/** @typedef {{ method: 'GET' | 'POST', plants: number }} MeasuredLoad */
/** @typedef {{ group: string, what: string, server: string, load?: MeasuredLoad, skipped: string }} Skipped */
/** @typedef {Measured | Skipped} Row */

/**
 * Facts about a peer for results.json.
 * @typedef {object} PeerFacts
 * @property {string} name
 * @property {readonly string[]} packages
 * @property {string} command
 * @property {string} differs
 * @property {string} [node] The versions of Node that it requires.
 */

/**
 * The results of one group of measurements.
 * @typedef {object} GroupResult
 * @property {string} name
 * @property {Noise} noise
 * @property {readonly Row[]} rows
 * @property {readonly PeerFacts[]} peers The peers that it measured.
 */

/**
 * The results of a run.
 * @typedef {object} Results
 * @property {string} date
 * @property {Environment} environment
 * @property {Settings} settings
 * @property {readonly GroupResult[]} groups
 */

/** @typedef {{ node: string, platform: string, processor: string, cores: number, memory: number, tool: string,
 *   pinned: boolean, version: string, msw: string }} Environment */

const widths = [34, 12, 7, 13, 9, 13, 22, 5]

/**
 * Formats a line of the table.
 * @param {readonly string[]} cells
 */
const line = (cells) =>
  cells
    .map((cell, i) => (i === 0 || i > 5 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    .join('  ')
    .trimEnd()

export const headerLine = line(['', '', 'ratio', 'of rounds', 'by core', 'of rounds', 'to', 'aim'])

/** @param {Row} row */
export const rowLine = (row) => {
  if ('skipped' in row) return line([`  ${row.server}`, `skipped: ${row.skipped}`])
  const { server, unit, value, against = '', ratio, range, coreRatio, coreRange, failed = 0, aim } = row
  return line([
    `  ${server}`,
    formatAmount(value, unit),
    ratio === undefined ? '' : formatRatio(ratio),
    formatRange(range),
    coreRatio === undefined ? '' : formatRatio(coreRatio),
    formatRange(coreRange),
    against,
    [aim && `${formatAim(aim, unit)} ${verdict(aim, row)}`, failed > 0 && `${failed} failed`]
      .filter(Boolean)
      .join('  '),
  ])
}

/** @param {Range} [range] */
export const formatRange = (range) => range?.map(formatRatio).join('–') ?? ''

/**
 * @param {number} value
 * @param {Unit} unit
 */
export const formatAmount = (value, unit) => {
  const text = formatNumber(value, unit)
  return unit === '' || unit === '/s' ? `${text}${unit}` : `${text} ${unit}`
}

/**
 * @param {number} value
 * @param {Unit} unit Decides the number of digits.
 */
export const formatNumber = (value, unit) => {
  const digits = unit === '' ? 0 : digitsOf(Math.abs(value), unit)
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
}

/** @type {(value: number, unit: Unit) => number} */
const digitsOf = (value, unit) => {
  if (value === 0 || value >= (unit === '/s' ? 10 : 1000)) return 0
  return value < 1 ? 3 : 1
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
export const formatAim = ({ of: figure, atLeast, atMost }, unit) => {
  const limit =
    atLeast !== undefined && atMost !== undefined
      ? `${atLeast}–${atMost}`
      : `${atLeast === undefined ? '≤' : '≥'}${(atLeast ?? atMost)?.toLocaleString('en')}`
  return figure === 'value' ? `${limit} ${unit}` : limit
}

/**
 * Returns whether a measurement reaches its aim.
 * @param {Aim} aim
 * @param {Measured} row
 */
export const verdict = ({ of: figure, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }, row) => {
  const value = row[figure] ?? Number.NaN
  return value >= atLeast && value <= atMost ? 'ok' : 'missed'
}

/**
 * Returns why the results may not be published, or undefined for complete results that passed their noise check.
 * @param {readonly Pick<GroupResult, 'name' | 'noise'>[]} groups
 * @param {readonly string[]} names Of the groups of a complete run.
 */
export const refusalOf = (groups, names) => {
  const missing = names.filter((name) => !groups.some((group) => group.name === name))
  const noisy = groups.filter(({ noise }) => !isTrusted(noise)).map(({ name }) => name)
  const reasons = [
    ...(missing.length > 0 ? [`they lack the groups ${missing.join(', ')}`] : []),
    ...(noisy.length > 0 ? [`the machine was too busy during ${noisy.join(', ')}`] : []),
  ]
  return reasons.length === 0 ? undefined : `The results are not written: ${reasons.join(', and ')}.`
}
