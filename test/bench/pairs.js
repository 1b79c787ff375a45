import { range } from './numbers.js'

/** @import { Round } from './gate.js' */

/**
 * Measures two subjects in turns, each pair in one round; the order alternates.
 * @template T
 * @param {Round} round
 * @param {number} count
 * @param {{ base: () => Promise<T>, ours: () => Promise<T> }} subjects
 * @returns {Promise<{ base: readonly T[], ours: readonly T[] }>}
 */
export const measurePairs = async (round, count, { base, ours }) => {
  /** @type {{ base: T[], ours: T[] }} */
  const results = { base: [], ours: [] }
  for (const index of range(count)) {
    const inOrder = index % 2 === 0 ? [base, ours] : [ours, base]
    const values = await round(async () => {
      /** @type {T[]} */
      const measured = []
      for (const measure of inOrder) measured.push(await measure())
      return measured
    })
    const [first, second] = index % 2 === 0 ? values : values.toReversed()
    if (first !== undefined) results.base.push(first)
    if (second !== undefined) results.ours.push(second)
  }
  return results
}
