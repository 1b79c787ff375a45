import { ratioFields } from './compare.js'
import { range, spreadOf } from './numbers.js'
import { benchFile, serverCore } from './server.js'
import { readOutput } from './workspace.js'

/** @import { Context } from './groups.js' */
/** @import { Row } from './report.js' */

/** @typedef {{ create: number, reset: number, loop: number }} Times */

/** @type {readonly { of: 'create' | 'reset', what: string, atMost: number }[]} */
const calls = [
  { of: 'create', what: 'createPlantMock() with the garden fixtures', atMost: 0.15 },
  { of: 'reset', what: 'reset() of 1,000 plants', atMost: 0.13 },
]

/**
 * Measures the CPU time of calls that a test suite makes for each test, and its ratio to the fixed loop, which makes
 * figures of several machines comparable.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* callTimes({ workspace, settings, round }) {
  /** @type {Times[]} */
  const all = []
  const command = [process.execPath, benchFile('calls-probe.js'), String(settings.callBatches)]
  for (const _ of range(settings.callRounds))
    all.push(JSON.parse(await round(() => readOutput(workspace.spawn(command, { core: serverCore })))))
  for (const { of: call, what, atMost } of calls) {
    const { median: value, range: valueRange } = spreadOf(all.map((times) => times[call]))
    yield {
      ...{ group: 'In process, calls', what, server: 'plant-mock', unit: 'ms', value, valueRange },
      ...ratioFields(all.map((times) => times[call] / times.loop)),
      against: 'the fixed loop of a million steps',
      aim: { of: 'value', atMost },
    }
  }
}
