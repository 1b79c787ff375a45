import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

/** @import { Tool } from './load.js' */
/** @import { Environment } from './report.js' */
/** @import { Workspace } from './workspace.js' */

/** @param {string | URL} file */
const versionIn = (file) => String(JSON.parse(readFileSync(file, 'utf8')).version)

/** @param {string} name */
const installed = (name) => versionIn(fileURLToPath(import.meta.resolve(`${name}/package.json`)))

/**
 * Returns the versions and the hardware of a run, without names or paths of the machine.
 * @param {Workspace} workspace
 * @param {Tool} tool
 * @returns {Environment}
 */
export const environmentOf = ({ canPin }, tool) => ({
  version: versionIn(new URL('../../package.json', import.meta.url)),
  node: process.version,
  msw: installed('msw'),
  platform: `${process.platform} ${process.arch}`,
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory: Math.round(totalmem() / 2 ** 30),
  tool,
  pinned: canPin,
})
