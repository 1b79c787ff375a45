import { readdirSync } from 'node:fs'
import { range, spreadOf } from './numbers.js'
import { benchFile } from './server.js'
import { plantMockName } from './targets.js'
import { readOutput } from './workspace.js'

/** @import { Context } from './groups.js' */
/** @import { Aim, Row } from './report.js' */
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

/** The modules are imported in order; the time of the last one counts. @typedef {{ server: string, modules: readonly string[], aim?: Aim }} Subject */

/** @param {string} entryPoint */
const nameOf = (entryPoint) => (entryPoint === 'index' ? plantMockName : `${plantMockName}/${entryPoint}`)

/** @param {string} entryPoint */
const urlOf = (entryPoint) => new URL(`${entryPoint}.js`, dist).href

/**
 * Measures the import time of each entry point in a new process, without the overhead of an empty module.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* importTimes({ workspace, settings, round }) {
  const msw = import.meta.resolve('msw')
  /** @type {(Subject & { times: number[] })[]} */
  const subjects = [
    ...entryPoints().map((name) => ({ server: nameOf(name), modules: [urlOf(name)] })),
    { server: 'msw alone', modules: [msw] },
    {
      server: 'plant-mock/msw, after msw',
      modules: [msw, urlOf('msw')],
      aim: { of: /** @type {const} */ ('value'), atMost: 15 },
    },
  ].map((subject) => ({ ...subject, times: [] }))
  for (const _ of range(settings.imports)) {
    const times = await round(() => timeAll(workspace, subjects))
    for (const [i, { times: all }] of subjects.entries()) all.push(times[i] ?? Number.NaN)
  }
  for (const { server, times, aim } of subjects) {
    const { median: value, range: valueRange } = spreadOf(times)
    yield { group, what, server, unit: 'ms', value, valueRange, ...(aim !== undefined && { aim }) }
  }
}

/**
 * Returns the time of the last import of each subject.
 * @param {Workspace} workspace
 * @param {readonly Subject[]} subjects
 */
const timeAll = async (workspace, subjects) => {
  /** @type {number[]} */
  const times = []
  for (const { modules } of subjects) {
    const output = await readOutput(workspace.spawn([process.execPath, probe, ...modules]))
    times.push(JSON.parse(output).at(-1))
  }
  return times
}
