/**
 * Times of one run of the fixed loop in milliseconds: on a quiet core they are equal.
 * @typedef {{ wall: number, cpu: number }} LoopTime
 */

/**
 * Observations during a round.
 * @typedef {object} Evidence
 * @property {readonly LoopTime[]} loops Runs of the fixed loop before, during and after the round, on each core.
 * @property {readonly [before: number, after: number]} [floors] The rates of the baseline before and after.
 */

/**
 * How much a round may deviate. On a quiet virtual machine, nine of ten loops stay within 6 % of the best one, because the
 * clock of a shared processor varies; another process on the core makes the loop 20 to 500 % slower. What slows down the
 * loop a little slows down the baseline before and after as well, and so leaves the ratio as it is.
 */
export const band = 0.1
/** The same at the end of a run: the best loop improves a little during the run, which must not fail earlier rounds. */
const finalBand = 0.12

/**
 * Returns the share by which the slowest loop exceeds the best one, or its own CPU time: the best one does not show a
 * process that was busy all the time.
 * @param {readonly LoopTime[]} loops
 * @param {number} best The shortest loop so far in milliseconds.
 */
export const slowdownOf = (loops, best) => Math.max(0, ...loops.map(({ wall, cpu }) => wall / Math.min(best, cpu) - 1))

/** @param {readonly [number, number]} [floors] */
export const differenceOf = ([before, after] = [1, 1]) => Math.abs(before - after) / ((before + after) / 2)

/**
 * Returns the reason that a round is noisy, or undefined for a quiet one.
 * @param {Evidence} evidence
 * @param {number} best The shortest loop so far in milliseconds.
 * @param {number} [limit]
 */
export const noiseOf = ({ loops, floors }, best, limit = band) => {
  if (loops.length === 0) return 'the fixed loop did not run'
  const slowdown = slowdownOf(loops, best)
  const difference = differenceOf(floors)
  if (slowdown > limit) return `the fixed loop was ${percent(slowdown)} slower than its best`
  if (difference > limit) return `the baseline before and after differed by ${percent(difference)}`
  return undefined
}

/** @param {number} share */
export const percent = (share) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`

/**
 * Whether a noisy round may be repeated: as many times as the group has rounds, and a few more.
 * @param {{ rounds: number, repeated: number }} counts Of the group so far.
 */
export const mayRepeat = ({ rounds, repeated }) => repeated < 5 + rounds

/**
 * The noise check of a group of measurements.
 * @typedef {object} Noise
 * @property {number} rounds
 * @property {number} repeated The number of noisy rounds that were repeated.
 * @property {number} noisy The number of rounds that count although they are noisy.
 * @property {number} slowdown The largest in a round that counts.
 * @property {number} difference The largest between the baselines of a round that counts.
 */

/**
 * Whether the figures of a group may be published: medians hold although one of ten rounds is noisy.
 * @param {Pick<Noise, 'rounds' | 'noisy'>} noise
 */
export const isTrusted = ({ rounds, noisy }) => noisy * 10 <= rounds

/**
 * Judges the rounds that count by the best loop of the whole run, which later rounds may have improved.
 * @param {readonly Evidence[]} counted
 * @param {number} repeated
 * @param {number} best
 * @returns {Noise}
 */
export const noiseCheck = (counted, repeated, best) => ({
  rounds: counted.length,
  repeated,
  noisy: counted.filter((evidence) => noiseOf(evidence, best, finalBand) !== undefined).length,
  slowdown: Math.max(0, ...counted.map(({ loops }) => slowdownOf(loops, best))),
  difference: Math.max(0, ...counted.map(({ floors }) => differenceOf(floors))),
})
