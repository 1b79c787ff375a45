/**
 * Calls createPlantMock() with the garden fixtures and reset() of 1,000 plants, and prints the CPU milliseconds of one
 * call of each and of a loop of a million steps, as JSON. Usage: node calls-probe.js BATCHES
 */
import { createPlantMock } from 'plant-mock'
import { garden } from 'plant-mock/fixtures'
import { plantArray } from './fixtures.js'
import { runLoop } from './loop.js'
import { median, range } from './numbers.js'

const batches = Number(process.argv[2])

/**
 * Returns the median of batches; the first half warms up.
 * @param {number} calls Of a batch.
 * @param {() => unknown} call
 */
const timeCall = async (calls, call) => {
  /** @type {number[]} */
  const times = []
  for (const _ of range(2 * batches)) {
    const before = process.cpuUsage()
    for (const _ of range(calls)) await call()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000 / calls)
  }
  return median(times.slice(batches))
}

const mock = createPlantMock({ fixtures: JSON.parse(plantArray(1_000)) })
const create = await timeCall(250, () => createPlantMock({ fixtures: garden }))
const reset = await timeCall(250, () => mock.reset())
const loop = await timeCall(10, () => runLoop(1_000_000))
console.log(JSON.stringify({ create, reset, loop }))
