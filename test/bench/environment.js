import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

/** @import { Tool } from './load.js' */
/** @import { Environment } from './report.js' */
/** @import { Workplace } from './workplace.js' */

/** @param {string | URL} file */
const versionIn = (file) => String(JSON.parse(readFileSync(file, 'utf8')).version)

/** @param {string} name */
const installed = (name) => versionIn(fileURLToPath(import.meta.resolve(`${name}/package.json`)))

/**
 * On what a run measures. It tells no name and no path of the machine.
 * @param {Workplace} work
 * @param {Tool} tool
 * @returns {Environment}
 */
export const environmentOf = ({ pins }, tool) => ({
  version: versionIn(new URL('../../package.json', import.meta.url)),
  node: process.version,
  msw: installed('msw'),
  platform: `${process.platform} ${process.arch}`,
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory: Math.round(totalmem() / 2 ** 30),
  tool,
  pinned: pins,
  busy: loadavg()[0] ?? 0,
})
