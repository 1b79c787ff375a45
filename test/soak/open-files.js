import { readdir } from 'node:fs/promises'

/**
 * How many files and sockets a process has open; `undefined` without /proc, or if the process has ended.
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
