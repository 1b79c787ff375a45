import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { PlantMockError } from '../util/errors.ts'

/** The locks of this process: one with its id that is not among them is of a process that had the same id before. */
const ours = new Set<string>()

/**
 * Takes a file for one server alone, by a file `.lock` beside it that says whose it is. One that a process left
 * behind when it was killed is taken over. The result gives it back.
 * @param named The file as the user calls it, for the message.
 * @throws PlantMockError that names the process that has it; Error of the file system.
 */
export const lockFile = (file: string, named: string): (() => void) => {
  const lock = `${file}.lock`
  if (ours.has(lock))
    throw new PlantMockError(
      `${named} is in use by another server of this process. Close that first, or choose another file.`,
    )
  if (!take(lock)) {
    const owner = ownerOf(lock)
    if (owner === undefined || (owner !== process.pid && isRunning(owner))) throw inUse(named, owner)
    rmSync(lock, { force: true })
    if (!take(lock)) throw inUse(named, ownerOf(lock))
  }
  ours.add(lock)
  return () => {
    ours.delete(lock)
    if (ownerOf(lock) === process.pid) rmSync(lock, { force: true })
  }
}

const take = (lock: string): boolean => {
  let fd: number
  try {
    fd = openSync(lock, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeSync(fd, `${process.pid}\n`)
    return true
  } catch (error) {
    rmSync(lock, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

const ownerOf = (lock: string): number | undefined => {
  try {
    const text = readFileSync(lock, 'utf8').trim()
    return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
  } catch {
    return undefined
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    // Any other reason, such as a process of another user, means that it is there.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Where nobody waits for a killed process, as in many containers, it stays in the list for ever (Linux: proc(5)). */
const isZombie = (pid: number): boolean => {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const inUse = (named: string, owner: number | undefined): PlantMockError =>
  owner === undefined
    ? new PlantMockError(
        `${named} seems to be in use: ${named}.lock does not say by which process. If no server keeps its plants there, delete ${named}.lock.`,
      )
    : new PlantMockError(
        `${named} is in use by another server, process ${owner}. Stop that, or choose another file; if it is no plant-mock, delete ${named}.lock.`,
      )
