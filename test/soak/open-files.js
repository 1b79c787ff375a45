import { readdir } from 'node:fs/promises'

/**
 * How many files and sockets a process has open; `undefined` where that is not told, or the process is gone.
 * @param {number} pid
 * @returns {Promise<number | undefined>}
 */
export const openFiles = async (pid) => {
  try {
    return (await readdir(`/proc/${pid}/fd`)).length
  } catch {
    return undefined
  }
}
