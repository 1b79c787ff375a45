/** @param {readonly number[]} values */
export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2
}

/** The lowest and the highest of several values. @typedef {readonly [low: number, high: number]} Range */

/**
 * @param {readonly number[]} values
 * @returns {{ median: number, range: Range }}
 */
export const spreadOf = (values) => ({ median: median(values), range: [Math.min(...values), Math.max(...values)] })

/** @param {number} count */
export const range = (count) => Array.from({ length: count }, (_, i) => i)
