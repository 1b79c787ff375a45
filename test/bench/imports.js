import { readdirSync } from 'node:fs'
import { median, range } from './numbers.js'
import { benchFile } from './server.js'
import { plantMockName } from './targets.js'
import { readOutput } from './workspace.js'

/** @import { Row } from './report.js' */
/** @import { Workspace } from './workspace.js' */

const dist = new URL('../../dist/', import.meta.url)
const probe = benchFile('import-probe.js')
const group = 'Import'
const what = 'time to import'

/** Returns the entry points of the package by the names of their files in dist. */
const entryPoints = () =>
  readdirSync(dist)
    .filter((file) => file.endsWith('.js') && file !== 'bin.js')
    .map((file) => file.slice(0, -'.js'.length))

/** @param {string} entryPoint */
const urlOf = (entryPoint) => new URL(`${entryPoint}.js`, dist).href

/**
 * Measures the import time of each entry point in a new process, without the overhead of an empty module.
 * @param {Workspace} workspace
 * @param {{ imports: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* importTimes(workspace, settings) {
  /** @param {readonly string[]} specifiers */
  const timeLast = (...specifiers) => lastImport(workspace, specifiers, settings.imports)
  for (const entryPoint of entryPoints()) {
    const name = entryPoint === 'index' ? plantMockName : `${plantMockName}/${entryPoint}`
    yield { group, what, server: name, unit: 'ms', value: await timeLast(urlOf(entryPoint)) }
  }
  const msw = import.meta.resolve('msw')
  yield { group, what, server: 'msw alone', unit: 'ms', value: await timeLast(msw) }
  yield {
    group,
    what,
    server: 'plant-mock/msw, after msw',
    unit: 'ms',
    value: await timeLast(msw, urlOf('msw')),
    aim: { of: 'value', atMost: 20 },
  }
}

/**
 * Returns the median time of the last of several imports.
 * @param {Workspace} workspace
 * @param {readonly string[]} specifiers
 * @param {number} count
 */
const lastImport = async (workspace, specifiers, count) => {
  /** @type {number[]} */
  const times = []
  for (const _ of range(count)) {
    const output = await readOutput(workspace.spawn([process.execPath, probe, ...specifiers]))
    times.push(JSON.parse(output).at(-1))
  }
  return median(times)
}
