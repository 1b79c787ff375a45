import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assumptionRegistry } from 'plant-mock'
import { ratioFields, ratiosByRound } from './compare.js'
import { median, range } from './numbers.js'
import { benchFile, serverCore } from './server.js'
import { nextMessage } from './workspace.js'

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Context } from './groups.js' */
/** @import { Row } from './report.js' */

/** @typedef {{ base: number, ours: number }} Pair Microseconds of user time of a request, or of a test. */

/**
 * Compares the user time of a request through msw to plant-mock and to a static handler with the same response, in pairs
 * of new processes: two processes of the same code differ by several per cent.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* inProcess(context) {
  for (const method of ['GET', 'POST']) {
    const row = { group: 'In process, through msw', what: `${method}, user time of a request` }
    const names = { base: 'a static msw handler', ours: 'plantHandlers(mock)' }
    yield* rowsOfPairs(context, () => measurePair(context, method), { ...row, names, atMost: 0.95 })
  }
}

/**
 * Compares the user time of a short test with a mock of its own under `plant-mock vary`, which looks for the assumptions
 * that the test meets, to the same test without it.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* evidence(context) {
  const { workspace, settings } = context
  const alternatives = assumptionRegistry
    .filter(({ rare }) => !rare)
    .flatMap((row) => row.alternatives.map((value) => [row.id, value]))
  writeFileSync(join(workspace.folder, 'alternatives.json'), JSON.stringify(alternatives))
  const command = [process.execPath, benchFile('evidence-probe.js')]
  const env = { ...process.env, PLANT_MOCK_EVIDENCE: workspace.folder }
  const { testTurns: turns, tests } = settings
  const sides = [{ command }, { command, env }]
  const row = { group: 'In process, under vary', what: 'a test with three requests, user time' }
  const names = { base: 'without vary', ours: 'under vary' }
  const measure = () => measureInTurns(workspace, sides, { turns, count: tests })
  yield* rowsOfPairs(context, measure, { ...row, names, atMost: 2 })
}

/**
 * Measures pairs, one in each round, and yields a row for each side.
 * @param {Context} context
 * @param {() => Promise<Pair>} measure
 * @param {{ group: string, what: string, names: { base: string, ours: string }, atMost: number }} about
 * @returns {AsyncGenerator<Row>}
 */
async function* rowsOfPairs({ settings, round }, measure, { group, what, names, atMost }) {
  /** @type {Pair[]} */
  const pairs = []
  for (const _ of range(settings.fetchPairs)) pairs.push(await round(measure))
  const [base, ours] = [pairs.map((pair) => pair.base), pairs.map((pair) => pair.ours)]
  const row = { group, what, unit: /** @type {const} */ ('µs') }
  yield { ...row, server: names.base, value: median(base) }
  yield {
    ...row,
    server: names.ours,
    value: median(ours),
    ...ratioFields(ratiosByRound(ours, base)),
    against: names.base,
    aim: { of: 'ratio', atMost },
  }
}

/**
 * @param {Context} context
 * @param {string} method
 * @returns {Promise<Pair>}
 */
const measurePair = ({ workspace, settings: { fetchWarmUp, fetchTurns, fetches } }, method) => {
  const commands = ['static', 'ours'].map((kind) => ({
    command: [process.execPath, benchFile('inprocess-probe.js'), kind, method],
  }))
  return measureInTurns(workspace, commands, { warmUp: fetchWarmUp, turns: fetchTurns, count: fetches })
}

/**
 * Measures two processes in short turns, so that other work on the machine affects both, and in many: a collection of
 * the old generation costs as much as a thousand requests, and happens every few thousand.
 * @param {Context['workspace']} workspace
 * @param {readonly { command: readonly string[], env?: NodeJS.ProcessEnv }[]} commands The base, and ours.
 * @param {{ warmUp?: number, turns: number, count: number }} settings Default of `warmUp`: `count`.
 * @returns {Promise<Pair>}
 */
const measureInTurns = async (workspace, commands, { turns, count, warmUp = count }) => {
  const probes = commands.map(({ command, ...place }) =>
    workspace.spawn(command, { ipc: true, core: serverCore, ...place }),
  )
  await Promise.all(probes.map(nextMessage))
  for (const probe of probes) await timeUses(probe, warmUp)
  const sums = probes.map((probe) => ({ probe, sum: 0 }))
  for (const turn of range(turns))
    for (const side of turn % 2 === 0 ? sums : sums.toReversed()) side.sum += await timeUses(side.probe, count)
  for (const probe of probes) probe.kill()
  const [base = Number.NaN, ours = Number.NaN] = sums.map(({ sum }) => sum / turns)
  return { base, ours }
}

/**
 * @param {ChildProcess} probe
 * @param {number} count How many requests or tests.
 * @returns {Promise<number>} Microseconds of user time of one.
 */
const timeUses = async (probe, count) => {
  probe.send(count)
  return Number(await nextMessage(probe))
}
