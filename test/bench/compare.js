import { median, spreadOf } from './numbers.js'

/** @import { Measured } from './report.js' */
/** @import { Rate, RateRound } from './rates.js' */

/** @param {RateRound} round */
const rateRatio = ({ before, rate, after }) => rate.perSecond / mean(before.perSecond, after.perSecond)

/** The ratio by CPU time, inverted so that a faster server has a larger one, as with rates. @param {RateRound} round */
const coreRatio = ({ before, rate, after }) => mean(before.core, after.core) / rate.core

/** @type {(a: number, b: number) => number} */
const mean = (a, b) => (a + b) / 2

/**
 * Returns the figures of several loads.
 * @param {readonly Rate[]} rates
 * @returns {Pick<Measured, 'unit' | 'value' | 'failed'>}
 */
export const rateFields = (rates) => {
  const failed = rates.reduce((sum, rate) => sum + rate.failed, 0)
  return {
    unit: '/s',
    value: median(rates.map(({ perSecond }) => perSecond)),
    ...(failed > 0 && { failed }),
  }
}

/**
 * Returns the ratios of a server to the baseline: in each round to the mean of the baseline before and after.
 * @param {readonly RateRound[]} rounds
 * @returns {Pick<Measured, 'ratio' | 'range' | 'coreRatio' | 'coreRange'>}
 */
export const toBaseline = (rounds) => ({
  ...ratioFields(rounds.map(rateRatio)),
  ...coreFields(rounds.map(coreRatio)),
})

/**
 * Returns the ratios of two series by round, each relative to the baseline of its round.
 * @param {readonly RateRound[]} rounds
 * @param {readonly RateRound[]} others
 * @returns {Pick<Measured, 'ratio' | 'range' | 'coreRatio' | 'coreRange'>}
 */
export const toOther = (rounds, others) => ({
  ...ratioFields(ratiosByRound(rounds.map(rateRatio), others.map(rateRatio))),
  ...coreFields(ratiosByRound(rounds.map(coreRatio), others.map(coreRatio))),
})

/**
 * Returns the ratios of two series by round, as far as both have rounds.
 * @param {readonly number[]} values
 * @param {readonly number[]} base
 */
export const ratiosByRound = (values, base) =>
  values.slice(0, base.length).map((value, i) => value / (base[i] ?? Number.NaN))

/**
 * @param {readonly number[]} ratios
 * @returns {Required<Pick<Measured, 'ratio' | 'range'>>}
 */
export const ratioFields = (ratios) => {
  const { median: ratio, range } = spreadOf(ratios)
  return { ratio, range }
}

/** @param {readonly number[]} ratios */
const coreFields = (ratios) => {
  if (ratios.some(Number.isNaN)) return {}
  const { ratio, range } = ratioFields(ratios)
  return { coreRatio: ratio, coreRange: range }
}
