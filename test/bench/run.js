/**
 * Measures plant-mock as built against the floor, a bare node:http server with the same answers by heart, and
 * against the servers that one would use instead, which are installed outside this repository.
 * Usage: npm run bench -- [--quick] [--only GROUP]... [--peers FOLDER | --no-peers] [--tool wrk|autocannon] [--json]
 *                         [--write]
 *   --quick         A smoke test without peers: its figures say little. With --peers, a smoke test of those too.
 *   --only GROUP    One group of measurements: requests, growth, log, memory, start, install, inprocess or
 *                   import (repeatable)
 *   --peers FOLDER  Installs the peers there, or uses those that are there. Default: a temporary folder
 *   --no-peers      Leaves them out
 *   --write         Writes RESULTS.md and results.svg beside this file: only of a whole run
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { enterFloor, enterOurs } from './entrants.js'
import { environmentOf } from './environment.js'
import { footprint } from './footprint.js'
import { importTimes } from './imports.js'
import { inProcess } from './inprocess.js'
import { availableTool, tools } from './load.js'
import { memoryAfterLoad } from './memory.js'
import { programFile } from './ours.js'
import { enterPeers } from './peers.js'
import { headLine, rowLine, verdict } from './report.js'
import { fileBeside } from './server.js'
import { coldStart, largeStart } from './startup.js'
import { growth, throughput, withLog } from './throughput.js'
import { openWorkplace } from './workplace.js'
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
  tools.find((name) => name === (options.tool ?? availableTool())) ??
  refuse(`--tool takes ${tools.join(' or ')}.`)
if (options.write && (options.quick || options['no-peers'] || options.only))
  refuse('--write is for a whole run: leave out --quick, --only and --no-peers.')
if (!existsSync(programFile)) refuse('There is no build. Run npm run build first.')

const work = openWorkplace()
const environment = environmentOf(work, tool)
/** @type {Results} */
const results = { date: new Date().toISOString().slice(0, 10), environment, settings, peers: [], rows: [] }

const withPeers = !options['no-peers'] && (!options.quick || options.peers !== undefined)

/**
 * What is made at its first use, and once.
 * @template T
 * @param {() => Promise<T>} make
 */
const once = (make) => {
  /** @type {Promise<T> | undefined} */
  let made
  return () => {
    made ??= make()
    return made
  }
}

const pair = once(async () => ({ floor: await enterFloor(work), ours: enterOurs(work) }))
const peers = once(async () => {
  const root = options.peers === undefined ? join(work.folder, 'peers') : resolve(options.peers)
  const entered = []
  if (withPeers) for await (const peer of enterPeers(work, root)) entered.push(peer)
  results.peers = entered.map(({ facts }) => facts)
  return entered
})
const peerEntrants = async () => (await peers()).map(({ entrant }) => entrant)
const everyone = async () => {
  const { floor, ours } = await pair()
  return [floor, ours, ...(await peerEntrants())]
}

/** @type {Readonly<Record<string, () => AsyncGenerator<Row>>>} */
const groups = {
  async *requests() {
    yield* throughput(work, tool, { ...(await pair()), peers: await peerEntrants() }, settings)
  },
  async *growth() {
    yield* growth(work, tool, await pair(), settings)
  },
  async *log() {
    yield* withLog(work, tool, await pair(), settings)
  },
  async *memory() {
    yield* memoryAfterLoad(work, tool, await everyone(), settings)
  },
  async *start() {
    yield* coldStart(await everyone(), settings)
    yield* largeStart(work, settings)
  },
  async *install() {
    if (withPeers) yield* footprint(work, await peers())
  },
  inprocess: () => inProcess(work, settings),
  import: () => importTimes(work, settings),
}

const only = options.only ?? Object.keys(groups)
const unknown = only.find((name) => !Object.hasOwn(groups, name))
if (unknown !== undefined) refuse(`--only takes ${Object.keys(groups).join(', ')}; not ${unknown}.`)

/** @returns {AsyncGenerator<Row>} */
async function* measurements() {
  for (const name of Object.keys(groups)) if (only.includes(name)) yield* groups[name]?.() ?? []
}

/** Prints each row as soon as it is known. */
const measureAloud = async () => {
  const { node, platform, cores, pinned, busy } = environment
  console.log(`Node ${node} on ${platform}, ${cores} cores; load from ${tool}`)
  console.log(
    pinned ? 'Under load: server on core 0, load on core 1' : 'Processes not kept to a core: no taskset',
  )
  if (busy > 0.5)
    console.log(
      `The machine had other work in the last minute (load ${busy.toFixed(1)}): only "by core" and memory can be trusted`,
    )
  console.log(`\n${headLine}`)
  let heading = ''
  for await (const row of measurements()) {
    if (heading !== `${row.group}: ${row.what}`) console.log(`\n${row.group}: ${row.what}`)
    heading = `${row.group}: ${row.what}`
    console.log(rowLine(row))
    results.rows.push(row)
  }
}

const measureForMachines = async () => {
  for await (const row of measurements())
    results.rows.push(
      'aim' in row && row.aim !== undefined ? { ...row, ok: verdict(row.aim, row) === 'ok' } : row,
    )
  console.log(JSON.stringify(results, undefined, 2))
}

await (options.json ? measureForMachines() : measureAloud())
if (options.write) await writeResults(results, fileBeside('.'))
