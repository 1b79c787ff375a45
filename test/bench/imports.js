import { readdirSync } from 'node:fs'
import { oursName } from './entrants.js'
import { median, range } from './numbers.js'
import { fileBeside } from './server.js'
import { outputOf } from './workplace.js'

/** @import { Row } from './report.js' */
/** @import { Workplace } from './workplace.js' */

const built = new URL('../../dist/', import.meta.url)
const probe = fileBeside('import-probe.js')
const group = 'Import'
const what = 'time to import'

/** Every public entry of the package, as a file of the build. */
const doors = () =>
  readdirSync(built)
    .filter((file) => file.endsWith('.js') && file !== 'bin.js')
    .map((file) => file.slice(0, -'.js'.length))

/** @param {string} door */
const urlOf = (door) => new URL(`${door}.js`, built).href

/**
 * How long importing takes: each door in a process of its own, beyond what an empty process takes.
 * @param {Workplace} work
 * @param {{ imports: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* importTimes(work, settings) {
  /** @param {readonly string[]} specifiers */
  const lastOf = (...specifiers) => lastImport(work, specifiers, settings.imports)
  for (const door of doors()) {
    const name = door === 'index' ? oursName : `${oursName}/${door}`
    yield { group, what, server: name, unit: 'ms', value: await lastOf(urlOf(door)) }
  }
  const msw = import.meta.resolve('msw')
  yield { group, what, server: 'msw alone', unit: 'ms', value: await lastOf(msw) }
  yield {
    group,
    what,
    server: 'plant-mock/msw, after msw',
    unit: 'ms',
    value: await lastOf(msw, urlOf('msw')),
    aim: { of: 'value', atMost: 20 },
  }
}

/**
 * The median time of the last of several imports.
 * @param {Workplace} work
 * @param {readonly string[]} specifiers
 * @param {number} count
 */
const lastImport = async (work, specifiers, count) => {
  /** @type {number[]} */
  const times = []
  for (const _ of range(count)) {
    const output = await outputOf(work.spawn([process.execPath, probe, ...specifiers]))
    times.push(JSON.parse(output).at(-1))
  }
  return median(times)
}
