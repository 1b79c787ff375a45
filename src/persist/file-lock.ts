import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { PlantMockError } from '../util/errors.ts'

/** The locks of this process. A lock file with our pid that is not among them is from an earlier process with that pid. */
const locksOfThisProcess = new Set<string>()

/**
 * Locks a file for one server by a file `.lock` next to it that contains the pid. Takes over the lock of a process that
 * no longer runs.
 * @param shownPath The path as the user wrote it, for messages.
 * @returns The function that releases the lock.
 * @throws PlantMockError that names the process that holds the lock; Error of the file system.
 */
export const lockFile = (path: string, shownPath: string): (() => void) => {
  const lock = `${path}.lock`
  if (locksOfThisProcess.has(lock))
    throw new PlantMockError(
      `${shownPath} is in use by another server of this process. Close it first, or choose another file.`,
    )
  if (!createLock(lock)) {
    const owner = ownerOf(lock)
    if (owner === undefined || (owner !== process.pid && isRunning(owner))) throw inUse(shownPath, owner)
    rmSync(lock, { force: true })
    if (!createLock(lock)) throw inUse(shownPath, ownerOf(lock))
  }
  locksOfThisProcess.add(lock)
  return () => {
    locksOfThisProcess.delete(lock)
    if (ownerOf(lock) === process.pid) rmSync(lock, { force: true })
  }
}

/** @returns False when the lock exists. */
const createLock = (lock: string): boolean => {
  try {
    closeSync(openSync(lock, 'wx'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeFileSync(lock, `${process.pid}\n`)
    return true
  } catch (error) {
    rmSync(lock, { force: true })
    throw error
  }
}

const ownerOf = (lock: string): number | undefined => {
  const text = textIn(lock).trim()
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Any other code means that the process exists: EPERM for a process of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  // A killed process that nobody waits for, as in many containers, stays in the process table (Linux: proc(5)).
  return !/\) [ZX] /.test(textIn(`/proc/${pid}/stat`))
}

/** The text of a file; empty when it cannot be read. */
const textIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const inUse = (shownPath: string, owner: number | undefined): PlantMockError =>
  new PlantMockError(
    owner === undefined
      ? `${shownPath} seems to be in use: ${shownPath}.lock does not name a process. If no server uses the file, delete ${shownPath}.lock.`
      : `${shownPath} is in use by another server, process ${owner}. Stop it, or choose another file; if it is not a plant-mock, delete ${shownPath}.lock.`,
  )
