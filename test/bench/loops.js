import { setTimeout } from 'node:timers/promises'
import { openGates } from './gate.js'
import { loadCore } from './load.js'
import { range } from './numbers.js'
import { benchFile, serverCore } from './server.js'
import { nextMessage } from './workspace.js'

/** @import { ChildProcess } from 'node:child_process' */
/** @import { LoopTime } from './noise.js' */
/** @import { Workspace } from './workspace.js' */

/** How long the fixed loop should take: short beside a round, and long beside a time slice of the scheduler. */
const loopMilliseconds = 150
const trialSteps = 20_000_000

/**
 * Opens gates with the fixed loop on the core of the servers and on that of the load generator, at the same time.
 * @param {Workspace} workspace
 */
export const openLoopGates = async (workspace) => {
  const probes = [serverCore, loadCore].map((core) =>
    workspace.spawn([process.execPath, benchFile('loop.js')], { core, ipc: true }),
  )
  /** @param {number} steps */
  const run = (steps) => Promise.all(probes.map((probe) => timeOn(probe, steps)))
  /** @type {number[]} */
  const trials = []
  for (const _ of range(10)) trials.push(...(await run(trialSteps)).map(({ wall }) => wall))
  const steps = Math.round((trialSteps * loopMilliseconds) / Math.min(...trials))
  return openGates({
    runLoops: () => run(steps),
    pause: () => setTimeout(1000),
    notify: (text) => console.error(`  ${text}`),
  })
}

/**
 * @param {ChildProcess} probe
 * @param {number} steps
 * @returns {Promise<LoopTime>}
 */
const timeOn = async (probe, steps) => {
  probe.send(steps)
  return nextMessage(probe)
}
