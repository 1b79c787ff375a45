import { ratioFields, ratiosByRound } from './compare.js'
import { median, range } from './numbers.js'
import { benchFile, serverCore } from './server.js'
import { nextMessage } from './workspace.js'

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Context } from './groups.js' */
/** @import { Row } from './report.js' */

/** @typedef {{ base: number, ours: number }} Pair Microseconds of user time a request. */

const staticName = 'a static msw handler'

/**
 * Compares the user time of a request through msw to plant-mock and to a static handler with the same response, in pairs
 * of new processes: two processes of the same code differ by several per cent.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* inProcess(context) {
  for (const method of ['GET', 'POST']) {
    /** @type {Pair[]} */
    const pairs = []
    for (const _ of range(context.settings.fetchPairs))
      pairs.push(await context.round(() => measurePair(context, method)))
    const [base, ours] = [pairs.map((pair) => pair.base), pairs.map((pair) => pair.ours)]
    const what = `${method}, user time of a request`
    const row = { group: 'In process, through msw', what, unit: /** @type {const} */ ('µs') }
    yield { ...row, server: staticName, value: median(base) }
    yield {
      ...row,
      server: 'plantHandlers(mock)',
      value: median(ours),
      ...ratioFields(ratiosByRound(ours, base)),
      against: staticName,
      aim: { of: 'ratio', atMost: 0.95 },
    }
  }
}

/**
 * Measures two processes in short turns, so that other work on the machine affects both, and in many: a collection of
 * the old generation costs as much as a thousand requests, and happens every few thousand.
 * @param {Context} context
 * @param {string} method
 * @returns {Promise<Pair>}
 */
const measurePair = async ({ workspace, settings: { fetchWarmUp, fetchTurns, fetches } }, method) => {
  const probes = ['static', 'ours'].map((kind) =>
    workspace.spawn([process.execPath, benchFile('inprocess-probe.js'), kind, method], { ipc: true, core: serverCore }),
  )
  await Promise.all(probes.map(nextMessage))
  for (const probe of probes) await timeRequests(probe, fetchWarmUp)
  const sums = probes.map((probe) => ({ probe, sum: 0 }))
  for (const turn of range(fetchTurns))
    for (const side of turn % 2 === 0 ? sums : sums.toReversed()) side.sum += await timeRequests(side.probe, fetches)
  for (const probe of probes) probe.kill()
  const [base = Number.NaN, ours = Number.NaN] = sums.map(({ sum }) => sum / fetchTurns)
  return { base, ours }
}

/**
 * @param {ChildProcess} probe
 * @param {number} requests
 * @returns {Promise<number>} Microseconds of user time a request.
 */
const timeRequests = async (probe, requests) => {
  probe.send(requests)
  return Number(await nextMessage(probe))
}
