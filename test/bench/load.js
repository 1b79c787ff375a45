import { fileBeside, headers } from './server.js'
import { hasProgram, outputOf } from './workplace.js'

/** @import { Workplace } from './workplace.js' */

/** Programs that make the load, the faster first. */
export const tools = /** @type {const} */ (['wrk', 'autocannon'])

/** @typedef {(typeof tools)[number]} Tool */

/**
 * @typedef {object} Load
 * @property {'GET' | 'POST'} method
 * @property {string} url
 * @property {number} seconds
 * @property {number} firstId Every POST takes an id of its own, from here on.
 */

/**
 * One plant that a POST creates; the tools put other ids in its place.
 * @param {number} id
 */
export const plantText = (id) => `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}`

const connections = 32
/** The core for the load; servers have the other. */
const loadCore = 1

/** @returns {Tool} */
export const availableTool = () => (hasProgram('wrk') ? 'wrk' : 'autocannon')

/**
 * Loads a server from a process of its own.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {Load} load
 * @returns {Promise<{ perSecond: number, failed: number }>} Good answers a second, and how many requests failed:
 *   refused, broken off or too late.
 */
export const applyLoad = async (work, tool, load) => {
  const child = work.spawn(commands[tool](load), { core: loadCore })
  return JSON.parse((await outputOf(child)).trimEnd().split('\n').at(-1) ?? '')
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
    fileBeside('load.lua'),
    url,
    '--',
    method,
    headers.authorization ?? '',
    String(firstId),
  ],
  autocannon: (load) => [
    process.execPath,
    fileBeside('autocannon.js'),
    JSON.stringify({ ...load, connections, headers }),
  ],
}
