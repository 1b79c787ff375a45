/**
 * Measures the built plant-mock against a bare node:http server that sends the same bytes (the baseline), and against
 * alternative servers (the peers), which are installed outside of this repository. Rounds on a noisy machine are
 * repeated.
 * Usage: npm run bench -- [--quick] [--only GROUP]... [--peers FOLDER | --no-peers] [--tool wrk|autocannon] [--json]
 *                         [--resume] [--write]
 *   --quick         A smoke test without noise check and without peers (with --peers, also of them)
 *   --only GROUP    One group of measurements, a name in groups.js (repeatable)
 *   --peers FOLDER  Uses the peers and versions of Node.js in this folder, and installs missing ones there. Default: a
 *                   temporary folder
 *   --no-peers      Omits the peers
 *   --resume        Measures only the groups that have no result of this build which passed its noise check
 *   --write         Writes RESULTS.md, results.svg and results.json beside this file; needs all groups, and that all passed
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { environmentOf } from './environment.js'
import { openWithoutGate } from './gate.js'
import { groupNames, groups } from './groups.js'
import { keepGroup, keptGroup, runKey } from './kept.js'
import { leads } from './leads.js'
import { availableTool, tools } from './load.js'
import { openLoopGates } from './loops.js'
import { percent } from './noise.js'
import { installPeers } from './peers.js'
import { programFile } from './plant-mock.js'
import { headerLine, refusalOf, rowLine } from './report.js'
import { benchFile } from './server.js'
import { quick, thorough } from './settings.js'
import { baselineTarget } from './targets.js'
import { openWorkspace } from './workspace.js'
import { writeResults } from './write.js'

/** @import { Gate } from './gate.js' */
/** @import { Peer } from './groups.js' */
/** @import { GroupResult, Results, Row } from './report.js' */

const readOptions = () => {
  try {
    const flag = { type: /** @type {const} */ ('boolean'), default: false }
    const text = { type: /** @type {const} */ ('string') }
    return parseArgs({
      options: {
        ...{ quick: flag, json: flag, resume: flag, write: flag, 'no-peers': flag },
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
const withPeers = !options['no-peers'] && (!options.quick || options.peers !== undefined)
const tool =
  tools.find((name) => name === (options.tool ?? availableTool())) ?? refuse(`--tool must be ${tools.join(' or ')}.`)
const names = (options.only ?? groupNames).filter((name) => withPeers || !groups[name]?.ofPeers)
const unknown = names.find((name) => !Object.hasOwn(groups, name))
if (unknown !== undefined) refuse(`--only must be one of ${groupNames.join(', ')}, not ${unknown}.`)
if (options.write && (options.quick || options['no-peers'] || options.only))
  refuse('--write needs a complete run. Omit --quick, --only and --no-peers.')
if (!existsSync(programFile)) refuse('dist/ is missing. Run npm run build first.')

const workspace = openWorkspace()
const environment = environmentOf(workspace, tool)
const key = runKey(environment, settings)
/** With `--json`, only the JSON is on stdout. @param {string} text */
const print = (text) => (options.json ? console.error(text) : console.log(text))

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

const packages = options.peers === undefined ? join(workspace.folder, 'packages') : resolve(options.peers)
const context = {
  ...{ workspace, tool, settings },
  packages: options.quick && options.peers === undefined ? undefined : packages,
  baseline: once(() => baselineTarget(workspace)),
  peers: once(async () => {
    /** @type {Peer[]} */
    const installed = []
    if (withPeers) for await (const peer of installPeers(workspace, packages)) installed.push(peer)
    return installed
  }),
}

/** Prints each row as soon as it is measured. @param {Row} row */
const printRow = (row) => {
  const next = `${row.group}: ${row.what}`
  if (heading !== next) print(`\n${next}`)
  heading = next
  print(rowLine(row))
}
let heading = ''

/**
 * @param {string} name
 * @param {Gate} gate
 * @returns {Promise<GroupResult>}
 */
const measureGroup = async (name, { round, noise }) => {
  /** @type {Row[]} */
  const rows = []
  for await (const row of groups[name]?.measure({ ...context, round }) ?? []) {
    printRow(row)
    rows.push(row)
  }
  const peers = groups[name]?.ofPeers ? (await context.peers()).map(({ facts }) => facts) : []
  return { name, noise: noise(), rows, peers }
}

/** @param {GroupResult} result */
const noiseLine = ({ name, noise: { rounds, repeated, noisy, slowdown } }) =>
  `  ${name}: ${rounds} rounds, ${repeated} repeated, ${noisy} noisy; the fixed loop at most ${percent(slowdown)} slower than its best`

const kept = options.resume ? names.flatMap((name) => keptGroup(key, name) ?? []) : []
const open = names.filter((name) => !kept.some((group) => group.name === name))
const minutes = open.reduce((sum, name) => sum + (groups[name]?.minutes ?? 0), 0)

print(`Node ${environment.node} on ${environment.platform}, ${environment.cores} cores; load from ${tool}`)
print(
  environment.pinned
    ? 'Servers are pinned to core 0, the load generator to core 1'
    : 'Processes are not pinned to a core: taskset is missing',
)
if (kept.length > 0) print(`Keeps the results of ${kept.map(({ name }) => name).join(', ')}`)
print(
  options.quick ? 'quick: figures mean little' : `About ${minutes} minutes on a quiet machine, longer on a busy one`,
)
print(`\n${headerLine}`)

const openGate = options.quick ? openWithoutGate : open.length > 0 ? await openLoopGates(workspace) : openWithoutGate
/** @type {GroupResult[]} */
const measured = []
for (const name of open) {
  const result = await measureGroup(name, openGate())
  if (!options.quick) {
    print(noiseLine(result))
    keepGroup(key, result)
  }
  measured.push(result)
}

/** @type {Results} */
const results = {
  date: new Date().toISOString().slice(0, 10),
  environment,
  settings,
  groups: names.flatMap((name) => [...kept, ...measured].find((group) => group.name === name) ?? []),
}
leads(results.groups.flatMap(({ rows }) => rows)).map(printRow)
if (options.json) console.log(JSON.stringify(results, undefined, 2))

if (options.write) {
  const refusal = refusalOf(results.groups, groupNames)
  if (refusal === undefined) await writeResults(results, benchFile('.'))
  else {
    console.error(`bench: ${refusal} Repeat these groups: npm run bench -- --write --resume`)
    process.exit(1)
  }
}
