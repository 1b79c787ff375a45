import { benchFile, headers } from './server.js'
import { hasProgram, readOutput } from './workspace.js'

/** @import { Workspace } from './workspace.js' */

/** Load generators, the faster first. */
export const tools = /** @type {const} */ (['wrk', 'autocannon'])

/** @typedef {(typeof tools)[number]} Tool */

/**
 * @typedef {object} Load
 * @property {'GET' | 'POST'} method
 * @property {string} url
 * @property {number} seconds
 * @property {number} firstId The first id of the POST requests; each has a unique id.
 */

/**
 * Returns the body of a create as JSON.
 * @param {number} id
 */
export const plantText = (id) => `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}`

const connections = 32
/** The core of the load generator; servers run on the other one. */
export const loadCore = 1

/** @returns {Tool} */
export const availableTool = () => (hasProgram('wrk') ? 'wrk' : 'autocannon')

/**
 * Runs the load generator in a separate process.
 * @param {Workspace} workspace
 * @param {Tool} tool
 * @param {Load} load
 * @returns {Promise<{ perSecond: number, failed: number }>} Successful responses a second, and the
 *   number of failed requests: error status, connection error or timeout.
 */
export const applyLoad = async (workspace, tool, load) => {
  const child = workspace.spawn(commands[tool](load), { core: loadCore })
  return JSON.parse((await readOutput(child)).trimEnd().split('\n').at(-1) ?? '')
}

/** @type {Readonly<Record<Tool, (load: Load) => readonly string[]>>} */
const commands = {
  wrk: ({ method, url, seconds, firstId }) => [
    'wrk',
    '--threads',
    '1',
    '--connections',
    String(connections),
    '--duration',
    `${seconds}s`,
    '--script',
    benchFile('load.lua'),
    url,
    '--',
    method,
    headers.authorization ?? '',
    String(firstId),
  ],
  autocannon: (load) => [
    process.execPath,
    benchFile('autocannon.js'),
    JSON.stringify({ ...load, connections, headers }),
  ],
}
