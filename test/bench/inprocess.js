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
 * Compares the user time of a short test with a mock of its own under `plant-mock vary`, which looks for the assumptions
 * that the test meets, to the same test without it.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* evidence(context) {
  const { workspace, settings, round } = context
  const alternatives = assumptionRegistry
    .filter(({ rare }) => !rare)
    .flatMap((row) => row.alternatives.map((value) => [row.id, value]))
  writeFileSync(join(workspace.folder, 'alternatives.json'), JSON.stringify(alternatives))
  const command = [process.execPath, benchFile('evidence-probe.js')]
  const env = { ...process.env, PLANT_MOCK_EVIDENCE: workspace.folder }
  const { testTurns: turns, tests } = settings
  /** @type {Pair[]} */
  const pairs = []
  for (const _ of range(settings.fetchPairs))
    pairs.push(await round(() => measureInTurns(workspace, [{ command }, { command, env }], { turns, count: tests })))
  const [base, ours] = [pairs.map((pair) => pair.base), pairs.map((pair) => pair.ours)]
  const what = 'a test with three requests, user time'
  const row = { group: 'In process, under vary', what, unit: /** @type {const} */ ('µs') }
  yield { ...row, server: plainName, value: median(base) }
  yield {
    ...row,
    server: 'under vary',
    value: median(ours),
    ...ratioFields(ratiosByRound(ours, base)),
    against: plainName,
    aim: { of: 'ratio', atMost: 2 },
  }
}

const plainName = 'without vary'

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
