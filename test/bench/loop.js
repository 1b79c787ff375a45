/**
 * The fixed loop, whose time shows how fast and how quiet a core is. As a program with an IPC channel, it runs the loop
 * for each message, the number of steps, and replies with its times in milliseconds.
 */
import { pathToFileURL } from 'node:url'

// The loop depends on the cache as the servers do, not only on the clock of the processor.
const cells = new Uint32Array(2 ** 18)

/** @param {number} steps */
export const runLoop = (steps) => {
  let random = 1
  for (let i = 0; i < steps; i++) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    cells[random >>> 14] = i
  }
}

/**
 * @param {number} steps
 * @returns {import('./noise.js').LoopTime}
 */
const timeLoop = (steps) => {
  // After a pause, cache and clock need some time.
  runLoop(steps / 2)
  const before = process.cpuUsage()
  const began = performance.now()
  runLoop(steps)
  const wall = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  return { wall, cpu: (user + system) / 1000 }
}

const [, program = ''] = process.argv
if (import.meta.url === pathToFileURL(program).href)
  process.on('message', (steps) => void process.send?.(timeLoop(Number(steps))))
