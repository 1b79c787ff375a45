import { readdir, readFile } from 'node:fs/promises'

/** What Linux tells of a running process, in /proc; elsewhere there is nothing to read. */
const isThere = process.platform === 'linux'

/** Why there is no figure. */
export const noProc = 'read from /proc, which this system does not have'

/**
 * The resident memory of a process in MiB: now, and at most until now.
 * @param {number} pid
 * @returns {Promise<{ now: number, peak: number } | undefined>} Nothing where it cannot be read.
 */
export const residentMemory = async (pid) => {
  if (!isThere) return undefined
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  /** @param {string} name */
  const mebibytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') }
}

/**
 * The time that a process has had a core until now, over all its threads, in microseconds.
 * @param {number} pid
 * @returns {Promise<number>} Not a number where it cannot be read.
 */
export const coreTime = async (pid) => {
  if (!isThere) return Number.NaN
  const threads = await readdir(`/proc/${pid}/task`)
  const texts = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8')))
  return texts.reduce((sum, text) => sum + Number.parseInt(text, 10) / 1000, 0)
}
