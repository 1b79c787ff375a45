import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { PlantMockError } from '../../util/errors.ts'
import { shared } from '../../util/shared.ts'

const locksOfThisProcess = () =>
  shared('file locks', () => {
    const locks = new Set<string>()
    const removeAll = (): void => {
      for (const lock of locks) rmSync(lock, { force: true })
    }
    return { locks, removeAll }
  })

export const lockFile = (path: string, shownPath: string): (() => void) => {
  const lock = `${path}.lock`
  if (!create(lock, `${process.pid}\n`) && !takeOver(lock)) throw inUse(shownPath, lock)
  const { locks, removeAll } = locksOfThisProcess()
  if (locks.size === 0) process.on('exit', removeAll)
  locks.add(lock)
  return () => {
    if (!locks.delete(lock)) return
    if (locks.size === 0) process.off('exit', removeAll)
    rmSync(lock, { force: true })
  }
}

const create = (file: string, content: string): boolean => {
  try {
    writeFileSync(file, content, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    rmSync(file, { force: true })
    throw error
  }
}

/** Lets one process at a time replace a stale lock, because a second process could remove the new lock of the first. */
const takeOver = (lock: string): boolean => {
  const guard = `${lock}.new`
  if (!create(guard, '')) {
    if (!isBeingCreated(guard)) rmSync(guard, { force: true })
    return false
  }
  try {
    if (isHeld(lock)) return false
    rmSync(lock, { force: true })
    return create(lock, `${process.pid}\n`)
  } finally {
    rmSync(guard, { force: true })
  }
}

const isHeld = (lock: string): boolean => {
  const pid = pidIn(lock)
  if (pid === undefined) return isBeingCreated(lock)
  // A lock with the id of this process may be stale, because ids repeat after a restart of a container.
  if (pid === process.pid) return locksOfThisProcess().locks.has(lock)
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  return true
}

const maxCreation = 10_000

const isBeingCreated = (file: string): boolean => {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs < maxCreation
}

const pidIn = (lock: string): number | undefined => {
  try {
    const [, pid] = /^([1-9]\d{0,9})\n/.exec(readFileSync(lock, 'utf8')) ?? []
    return pid === undefined ? undefined : Number(pid)
  } catch {
    return undefined
  }
}

const inUse = (shownPath: string, lock: string): PlantMockError => {
  const pid = pidIn(lock)
  return new PlantMockError(
    pid === process.pid
      ? `${shownPath} is in use by another server of this process. Close it first, or choose another file.`
      : `${shownPath} is in use by another server, process ${pid ?? 'unknown'}. Stop that server, or choose another file. If no server uses this file, delete ${lock}.`,
  )
}
