import { readdir, readFile } from 'node:fs/promises'

/** Only Linux has /proc. */
const hasProc = process.platform === 'linux'

/** The reason that a figure is missing. */
export const noProc = 'requires /proc, which this system does not have'

/**
 * Returns the current and the peak resident memory of a process in MiB.
 * @param {number} pid
 * @returns {Promise<{ now: number, peak: number } | undefined>} Undefined without /proc.
 */
export const residentMemory = async (pid) => {
  if (!hasProc) return undefined
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  /** @param {string} name */
  const mebibytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') }
}

/**
 * Returns the CPU time of a process, all threads, in microseconds.
 * @param {number} pid
 * @returns {Promise<number>} NaN without /proc.
 */
export const cpuTime = async (pid) => {
  if (!hasProc) return Number.NaN
  const threads = await readdir(`/proc/${pid}/task`)
  const texts = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8')))
  return texts.reduce((sum, text) => sum + Number.parseInt(text, 10) / 1000, 0)
}
