/**
 * Measures plant-mock as built against the floor, a bare node:http server with the same answers by heart.
 * Usage: npm run bench -- [--quick] [--json] [--tool wrk|autocannon]
 */
import { existsSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { importTimes } from './imports.js'
import { availableTool, tools } from './load.js'
import { memoryAfterLoad } from './memory.js'
import { headLine, reaches, rowLine } from './report.js'
import { programFile } from './server.js'
import { coldStart, largeStart } from './startup.js'
import { throughput } from './throughput.js'
import { openWorkplace } from './workplace.js'

/** @import { Row } from './report.js' */

/** @typedef {typeof thorough} Settings */

const thorough = { rounds: 5, seconds: 2, warmUp: 2, coldStarts: 21, largeStarts: 5, imports: 11 }
/** A smoke test: its figures say little. */
const quick = { rounds: 1, seconds: 1, warmUp: 0, coldStarts: 3, largeStarts: 1, imports: 3 }

/** @returns {{ quick?: boolean, json?: boolean, tool?: string }} */
const readOptions = () => {
  try {
    return parseArgs({
      options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, tool: { type: 'string' } },
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
if (!existsSync(programFile)) refuse('There is no build. Run npm run build first.')

const work = openWorkplace()
const environment = {
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cores: availableParallelism(),
  tool,
  pinned: work.pins,
  /** How many processes wanted a core in the last minute, others' included. */
  busy: loadavg()[0] ?? 0,
}

/** @returns {AsyncGenerator<Row>} */
async function* measurements() {
  yield* throughput(work, tool, settings)
  yield* memoryAfterLoad(work, tool, settings)
  yield* coldStart(work, settings)
  yield* largeStart(work, settings)
  yield* importTimes(work, settings)
}

/** Prints each row as soon as it is known. */
const printTable = async () => {
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
  let group = ''
  for await (const row of measurements()) {
    if (row.group !== group) console.log(`\n${row.group}`)
    group = row.group
    console.log(rowLine(row))
  }
}

const printJson = async () => {
  const rows = []
  for await (const row of measurements())
    rows.push('aim' in row && row.aim !== undefined ? { ...row, ok: reaches(row.aim, row) } : row)
  console.log(JSON.stringify({ environment, settings, rows }, undefined, 2))
}

await (options.json ? printJson() : printTable())
