import { mayRepeat, noiseCheck, noiseOf } from './noise.js'
import { range } from './numbers.js'

/** @import { Evidence, LoopTime, Noise } from './noise.js' */

/**
 * Observes one round.
 * @typedef {object} Watch
 * @property {() => Promise<void>} check Runs the fixed loop; it runs before and after each round anyway.
 * @property {(before: number, after: number) => void} floors Reports the rates of the baseline.
 */

/** Measures one round, and repeats it while the machine is noisy. @typedef {<T>(measure: (watch: Watch) => Promise<T>) => Promise<T>} Round */

/**
 * The rounds of one group of measurements.
 * @typedef {object} Gate
 * @property {Round} round
 * @property {() => Noise} noise The check of all rounds so far.
 */

const calibrationLoops = 20
/** How many seconds the rounds of a group wait in total for a quiet machine before they start. */
const maxWaits = 120

/**
 * Opens gates that admit rounds of a quiet machine. All share one best loop.
 * @param {object} effects
 * @param {() => Promise<readonly LoopTime[]>} effects.runLoops Runs the fixed loop on each core.
 * @param {() => Promise<unknown>} effects.pause
 * @param {(text: string) => void} effects.notify
 * @returns {Promise<() => Gate>}
 */
export const openGates = async ({ runLoops, pause, notify }) => {
  let best = Number.POSITIVE_INFINITY
  const look = async () => {
    const loops = await runLoops()
    best = Math.min(best, ...loops.map(({ wall }) => wall))
    return loops
  }
  for (const _ of range(calibrationLoops)) await look()

  return () => {
    /** @type {Evidence[]} */
    const counted = []
    let repeated = 0
    let waits = 0
    let isTooBusy = false

    const lookWhenQuiet = async () => {
      for (;;) {
        const loops = await look()
        if (isTooBusy || waits === maxWaits || noiseOf({ loops }, best) === undefined) return loops
        waits++
        await pause()
      }
    }

    /** @type {Round} */
    const round = async (measure) => {
      const loops = [...(await lookWhenQuiet())]
      /** @type {Evidence} */
      let evidence = { loops }
      const value = await measure({
        check: async () => {
          loops.push(...(await look()))
        },
        floors: (before, after) => {
          evidence = { loops, floors: [before, after] }
        },
      })
      loops.push(...(await look()))
      const reason = noiseOf(evidence, best)
      if (reason !== undefined && !isTooBusy) {
        if (mayRepeat({ rounds: counted.length, repeated })) {
          repeated++
          notify(`repeats a round: ${reason}`)
          return round(measure)
        }
        isTooBusy = true
        notify(`The machine is too busy for this group: ${reason} after ${repeated} repeats. Its figures mean little.`)
      }
      counted.push(evidence)
      return value
    }
    return { round, noise: () => noiseCheck(counted, repeated, best) }
  }
}

/**
 * Returns a gate that admits all rounds, for a smoke test.
 * @returns {Gate}
 */
export const openWithoutGate = () => {
  /** @type {Evidence[]} */
  const counted = []
  return {
    round: (measure) => {
      counted.push({ loops: [] })
      return measure({ check: async () => {}, floors: () => {} })
    },
    noise: () => noiseCheck(counted, 0, 1),
  }
}
