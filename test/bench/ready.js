import { residentMemory } from './proc.js'
import { getList } from './server.js'

/** @import { Server } from './server.js' */

/**
 * @typedef {object} FirstResponse
 * @property {number} milliseconds From the start of the process to the end of its first response.
 * @property {{ now: number, peak: number } | undefined} memory After that response.
 */

/**
 * Starts a server, requests one list, and stops the server.
 * @param {() => Promise<Server>} start
 * @param {string} list
 * @returns {Promise<FirstResponse>}
 */
export const firstResponse = async (start, list) => {
  const began = performance.now()
  const server = await start()
  try {
    await getList(`${server.url}${list}`)
    const milliseconds = performance.now() - began
    return { milliseconds, memory: await residentMemory(server.pid) }
  } finally {
    await server.stop()
  }
}
