/**
 * Measures the built plant-mock against a bare node:http server that sends the same bytes (the baseline), and against
 * alternative servers (the peers), which are installed outside of this repository.
 * Usage: npm run bench -- [--quick] [--only GROUP]... [--peers FOLDER | --no-peers] [--tool wrk|autocannon] [--json]
 *                         [--write]
 *   --quick         A smoke test without peers (with --peers, also of them); its figures mean little
 *   --only GROUP    One group of measurements: requests, growth, log, memory, start, install, inprocess or
 *                   import (repeatable)
 *   --peers FOLDER  Uses the peers in this folder, and installs missing ones there. Default: a temporary folder
 *   --no-peers      Omits the peers
 *   --write         Writes RESULTS.md and results.svg beside this file; needs a complete run
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { environmentOf } from './environment.js'
import { footprint } from './footprint.js'
import { importTimes } from './imports.js'
import { inProcess } from './inprocess.js'
import { availableTool, tools } from './load.js'
import { memoryAfterLoad } from './memory.js'
import { installPeers } from './peers.js'
import { programFile } from './plant-mock.js'
import { headerLine, rowLine, verdict } from './report.js'
import { benchFile } from './server.js'
import { coldStart, largeStart } from './startup.js'
import { baselineTarget, plantMockTarget } from './targets.js'
import { growth, requestLog, throughput } from './throughput.js'
import { openWorkspace } from './workspace.js'
import { writeResults } from './write.js'

/** @import { Results, Row } from './report.js' */

const million = 1_000_000
const thorough = {
  ...{ rounds: 5, peerRounds: 3, seconds: 2, warmUp: 2, million },
  ...{ coldStarts: 21, peerStarts: 5, largeStarts: 5, imports: 11, fetchRounds: 9, fetches: 5_000 },
}
/** @type {typeof thorough} */
const quick = {
  ...{ rounds: 1, peerRounds: 1, seconds: 1, warmUp: 0, million: 10_000 },
  ...{ coldStarts: 3, peerStarts: 1, largeStarts: 1, imports: 3, fetchRounds: 1, fetches: 500 },
}

const readOptions = () => {
  try {
    const flag = { type: /** @type {const} */ ('boolean'), default: false }
    const text = { type: /** @type {const} */ ('string') }
    return parseArgs({
      options: {
        ...{ quick: flag, json: flag, write: flag, 'no-peers': flag },
        ...{ tool: text, peers: text, only: { ...text, multiple: /** @type {const} */ (true) } },
      },
    }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

/**
 * @param {string} reason
 * @returns {never}
 */
const refuse = (reason) => {
  console.error(`bench: ${reason}`)
  process.exit(2)
}

const options = readOptions()
const settings = options.quick ? quick : thorough
const tool =
  tools.find((name) => name === (options.tool ?? availableTool())) ?? refuse(`--tool must be ${tools.join(' or ')}.`)
if (options.write && (options.quick || options['no-peers'] || options.only))
  refuse('--write needs a complete run. Omit --quick, --only and --no-peers.')
if (!existsSync(programFile)) refuse('dist/ is missing. Run npm run build first.')

const workspace = openWorkspace()
const environment = environmentOf(workspace, tool)
/** @type {Results} */
const results = { date: new Date().toISOString().slice(0, 10), environment, settings, peers: [], rows: [] }

const withPeers = !options['no-peers'] && (!options.quick || options.peers !== undefined)

/**
 * Calls `make` at the first use only.
 * @template T
 * @param {() => Promise<T>} make
 */
const once = (make) => {
  /** @type {Promise<T> | undefined} */
  let result
  return () => {
    result ??= make()
    return result
  }
}

const pair = once(async () => ({
  baseline: await baselineTarget(workspace),
  ours: plantMockTarget(workspace),
}))
const peers = once(async () => {
  const root = options.peers === undefined ? join(workspace.folder, 'peers') : resolve(options.peers)
  const installed = []
  if (withPeers) for await (const peer of installPeers(workspace, root)) installed.push(peer)
  results.peers = installed.map(({ facts }) => facts)
  return installed
})
const peerTargets = async () => (await peers()).map(({ target }) => target)
const allTargets = async () => {
  const { baseline, ours } = await pair()
  return [baseline, ours, ...(await peerTargets())]
}

/** @type {Readonly<Record<string, () => AsyncGenerator<Row>>>} */
const groups = {
  async *requests() {
    yield* throughput(workspace, tool, { ...(await pair()), peers: await peerTargets() }, settings)
  },
  async *growth() {
    yield* growth(workspace, tool, await pair(), settings)
  },
  async *log() {
    yield* requestLog(workspace, tool, await pair(), settings)
  },
  async *memory() {
    yield* memoryAfterLoad(workspace, tool, await allTargets(), settings)
  },
  async *start() {
    yield* coldStart(await allTargets(), settings)
    yield* largeStart(workspace, settings)
  },
  async *install() {
    if (withPeers) yield* footprint(workspace, await peers())
  },
  inprocess: () => inProcess(workspace, settings),
  import: () => importTimes(workspace, settings),
}

const only = options.only ?? Object.keys(groups)
const unknown = only.find((name) => !Object.hasOwn(groups, name))
if (unknown !== undefined) refuse(`--only must be one of ${Object.keys(groups).join(', ')}, not ${unknown}.`)

/** @returns {AsyncGenerator<Row>} */
async function* measurements() {
  for (const name of Object.keys(groups)) if (only.includes(name)) yield* groups[name]?.() ?? []
}

/** Prints each row as soon as it is measured. */
const printMeasurements = async () => {
  const { node, platform, cores, pinned, busy } = environment
  console.log(`Node ${node} on ${platform}, ${cores} cores; load from ${tool}`)
  console.log(
    pinned
      ? 'Servers are pinned to core 0, the load generator to core 1'
      : 'Processes are not pinned to a core: taskset is missing',
  )
  if (busy > 0.5)
    console.log(
      `The machine was busy in the last minute (load ${busy.toFixed(1)}): only "by core" and memory are reliable`,
    )
  console.log(`\n${headerLine}`)
  let heading = ''
  for await (const row of measurements()) {
    if (heading !== `${row.group}: ${row.what}`) console.log(`\n${row.group}: ${row.what}`)
    heading = `${row.group}: ${row.what}`
    console.log(rowLine(row))
    results.rows.push(row)
  }
}

const printJson = async () => {
  for await (const row of measurements())
    results.rows.push('aim' in row && row.aim !== undefined ? { ...row, ok: verdict(row.aim, row) === 'ok' } : row)
  console.log(JSON.stringify(results, undefined, 2))
}

await (options.json ? printJson() : printMeasurements())
if (options.write) await writeResults(results, benchFile('.'))
