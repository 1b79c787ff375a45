/** @param {readonly number[]} values */
export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2
}

/** @param {number} count */
export const range = (count) => Array.from({ length: count }, (_, i) => i)

/**
 * Returns the ratios of two series by round, as far as both have rounds.
 * @param {readonly number[]} values
 * @param {readonly number[]} base
 */
export const ratiosByRound = (values, base) =>
  range(Math.min(values.length, base.length)).map((i) => (values[i] ?? Number.NaN) / (base[i] ?? Number.NaN))
