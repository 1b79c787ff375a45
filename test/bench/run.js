/**
 * Measures the built plant-mock beside a bare node:http server and beside its peers, which are installed on demand.
 * Usage: npm run bench -- [--only GROUP]... [--quick] [--output FOLDER]
 *   --only GROUP     requests, start, import, inprocess or memory (repeatable); writes nothing
 *   --quick          A smoke test without peers, whose figures mean nothing; writes only with --output
 *   --output FOLDER  Where RESULTS.md and results.svg are written. Default: the folder of this file
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inProcess } from './inprocess.js'
import { benchFile, hasProgram, openMachine, programFile } from './machine.js'
import { memory } from './memory.js'
import { lineOf, renderPage, renderPicture } from './report.js'
import { requests } from './requests.js'
import { installPeer, peers } from './servers.js'
import { imports, starts } from './start.js'

/** @import { Machine } from './machine.js' */
/** @import { Row } from './report.js' */
/** @import { Subject } from './servers.js' */

/**
 * @typedef {object} Context
 * @property {Machine} machine
 * @property {typeof thorough} settings
 * @property {readonly Subject[]} peers
 */

const thorough = {
  quick: false,
  /** Numbers of plants beside the usual one. */
  largeStores: [100_000, 1_000_000],
  /** Rounds of each group. */
  ...{ rounds: 5, starts: 9, imports: 7, calls: 9 },
  ...{ seconds: 2, warmUp: 10, callMilliseconds: 1_000 },
  /** The long load is cut into slices, each with a sample of the memory. */
  ...{ slices: 40, sliceSeconds: 2 },
}

/** @type {typeof thorough} */
const quick = {
  quick: true,
  largeStores: [],
  ...{ rounds: 1, starts: 1, imports: 1, calls: 1 },
  ...{ seconds: 1, warmUp: 0, callMilliseconds: 20 },
  ...{ slices: 2, sliceSeconds: 1 },
}

/** @type {Readonly<Record<string, (context: Context) => AsyncGenerator<Row>>>} */
const groups = { requests, start: starts, import: imports, inprocess: inProcess, memory }

process.on('uncaughtException', ({ message }) => {
  console.error(`bench: ${message}`)
  process.exit(1)
})

const text = /** @type {const} */ ({ type: 'string' })
const flag = /** @type {const} */ ({ type: 'boolean', default: false })
const { only, output, ...options } = parseArgs({
  options: { only: { ...text, multiple: true }, quick: flag, output: text },
}).values
const names = only ?? Object.keys(groups)
const unknown = names.find((name) => !Object.hasOwn(groups, name))
const obstacles = [
  unknown !== undefined && `Unknown group ${unknown}. Groups: ${Object.keys(groups).join(', ')}.`,
  only !== undefined && output !== undefined && '--output needs all groups. Omit --only.',
  process.platform !== 'linux' && 'It needs Linux: it reads processor time and memory from /proc.',
  !existsSync(programFile) && 'The build is missing. Run npm run build first.',
  !(hasProgram('wrk') && hasProgram('taskset')) && 'It needs wrk and taskset. Debian: apt-get install wrk util-linux',
]
for (const obstacle of obstacles) if (obstacle !== false) throw new Error(obstacle)

/** @param {string} url */
const versionIn = (url) => JSON.parse(readFileSync(new URL(url), 'utf8')).version
const versions = [
  `plant-mock ${versionIn(import.meta.resolve('plant-mock/package.json'))}`,
  `Node.js ${process.version.slice(1)}`,
  `msw ${versionIn(import.meta.resolve('msw/package.json'))}`,
]
const hardware = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`

const machine = openMachine()
const settings = options.quick ? quick : thorough
/** @type {Subject[]} */
const installed = []
if (!settings.quick && names.some((name) => name === 'requests' || name === 'start'))
  for (const peer of peers) installed.push(await installPeer(machine, peer))

/** @type {Row[]} */
const rows = []
for (const name of names)
  for await (const row of groups[name]?.({ machine, settings, peers: installed }) ?? []) {
    console.log(lineOf(row))
    rows.push(row)
    if (row.skipped === undefined && !Number.isFinite(row.value)) throw new Error('A figure is missing.')
  }

if (only === undefined && (output !== undefined || !settings.quick)) {
  const folder = output ?? benchFile('.')
  const about = `${versions.join(', ')}; ${hardware}; ${new Date().toISOString().slice(0, 10)}.`
  const results = { about, rows, peers: installed.length > 0 ? peers : [] }
  writeFileSync(join(folder, 'RESULTS.md'), renderPage(results))
  writeFileSync(join(folder, 'results.svg'), renderPicture(results))
}
process.exit()
