import {
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'

// Not the global ones: fake timers of a test must not let a lock become stale.
import { clearInterval, setInterval } from 'node:timers'
import { PlantMockError } from '../../util/errors.ts'
import { shared } from '../../util/shared.ts'

/** The functions that release the locks of this process, by lock, and one listener that calls them when it ends. */
const locksOfThisProcess = () =>
  shared('file locks', () => {
    const locks = new Map<string, () => void>()
    const releaseAll = (): void => {
      for (const release of locks.values()) release()
    }
    return { locks, releaseAll }
  })

/** How often an owner renews its lock, in milliseconds. */
const renewInterval = 5_000
/** After how long without renewal the lock of another machine or container is stale, in milliseconds. */
const maxAge = 30_000

/**
 * Locks a file for one server by a file `.lock` next to it, which names the process. Takes over the lock of a process
 * that has ended, and one of another machine or container that is no longer renewed.
 * @param shownPath The path as the user wrote it, for messages.
 * @returns The function that releases the lock.
 * @throws PlantMockError with the process that holds the lock; Error of the file system.
 */
export const lockFile = (path: string, shownPath: string): (() => void) => {
  const lock = `${path}.lock`
  const { locks, releaseAll } = locksOfThisProcess()
  if (locks.has(lock))
    throw new PlantMockError(
      `${shownPath} is in use by another server of this process. Close it first, or choose another file.`,
    )
  const content = `${process.pid}\n${thisSpace()}\n${statOf(process.pid).started}\n`
  if (!create(lock, content) && !takeOver(lock, content)) throw inUse(shownPath, lock)
  const renewal = setInterval(() => renew(lock, content), renewInterval)
  renewal.unref()
  const release = (): void => {
    clearInterval(renewal)
    locks.delete(lock)
    if (locks.size === 0) process.off('exit', releaseAll)
    if (textIn(lock) === content) rmSync(lock, { force: true })
  }
  if (locks.size === 0) process.on('exit', releaseAll)
  locks.set(lock, release)
  return release
}

/** @returns False when the file exists. */
const create = (file: string, content: string): boolean => {
  let descriptor: number
  try {
    descriptor = openSync(file, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeFileSync(descriptor, content)
    return true
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Replaces a stale lock. Several processes may find it stale: only the one that creates a second file, `.lock.new`, may
 * remove it. Otherwise the second one would remove the lock of the first.
 */
const takeOver = (lock: string, content: string): boolean => {
  const guard = `${lock}.new`
  // Empty, because the disk may be full.
  if (!create(guard, '')) {
    // It exists for milliseconds, unless its process was killed just then.
    const age = Date.now() - (modifiedAt(guard) ?? Number.POSITIVE_INFINITY)
    if (age > maxAge) rmSync(guard, { force: true })
    return false
  }
  try {
    if (isHeld(lock, guard)) return false
    rmSync(lock, { force: true })
    return create(lock, content)
  } finally {
    rmSync(guard, { force: true })
  }
}

/** @param guard A file that was just written: both files have the time of the same file system. */
const isHeld = (lock: string, guard: string): boolean => {
  const owner = parseOwner(textIn(lock))
  const age = (modifiedAt(guard) ?? 0) - (modifiedAt(lock) ?? Number.NEGATIVE_INFINITY)
  // A process that was killed while it created its lock leaves it empty.
  if (owner === undefined || !isInThisSpace(owner)) return age <= maxAge
  return isRunning(owner)
}

const modifiedAt = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs

/** Writes the content again, which sets the time by the clock of the file system. */
const renew = (lock: string, content: string): void => {
  try {
    if (textIn(lock) !== content) return
    const descriptor = openSync(lock, 'r+')
    writeSync(descriptor, content)
    closeSync(descriptor)
  } catch {
    // Another renewal follows.
  }
}

const inUse = (shownPath: string, lock: string): PlantMockError => {
  const isLink = lstatSync(shownPath, { throwIfNoEntry: false })?.isSymbolicLink()
  // The lock of a symbolic link is next to its target.
  const shownLock = isLink ? lock : `${shownPath}.lock`
  const owner = parseOwner(textIn(lock))
  if (owner === undefined)
    return new PlantMockError(
      `${shownPath} seems to be in use: ${shownLock} does not name a process. If no server uses the file, delete ${shownLock}.`,
    )
  const [where, wait] = isInThisSpace(owner)
    ? ['', '']
    : [` on ${owner.space.split(' ')[0]}`, ` If it has ended, its lock is free ${maxAge / 1000} seconds later.`]
  return new PlantMockError(
    `${shownPath} is in use by another server, process ${owner.pid}${where}. Stop it, or choose another file; if it is not a plant-mock, delete ${shownLock}.${wait}`,
  )
}

/** The process that holds a lock, as its lock file names it. */
type LockOwner = {
  readonly pid: number
  /**
   * Where the pid has its meaning: host, boot and namespace of processes. Containers on one volume often have the same
   * pids. Empty where the lock does not tell.
   */
  readonly space: string
  /** When the process started, in ticks since the boot; empty where the system does not tell. */
  readonly started: string
}

/** @returns `undefined` for a text that names no process. */
const parseOwner = (text: string): LockOwner | undefined => {
  const [pid = '', space = '', started = ''] = text.split('\n')
  return /^[1-9]\d{0,9}$/.test(pid.trim()) ? { pid: Number(pid), space, started } : undefined
}

/** Whether the pid of an owner can be looked up from here. */
const isInThisSpace = ({ space }: LockOwner): boolean => space === '' || space === thisSpace()

/** Whether an owner whose pid can be looked up still runs. */
const isRunning = ({ pid, started }: LockOwner): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Any other code means that the process exists: EPERM for a process of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  const found = statOf(pid)
  // A killed process that nobody waits for, as in many containers, stays in the process table.
  if (/[ZX]/.test(found.state)) return false
  // Pids are used again, by this process too.
  return started === '' ? pid !== process.pid : started === found.started
}

const thisSpace = (): string => {
  const boot = textIn('/proc/sys/kernel/random/boot_id').trim()
  return `${hostname()} ${boot} ${attempt(() => readlinkSync('/proc/self/ns/pid'))}`
}

/** Fields 3 and 22 of proc(5); the name of the program before them may contain spaces and parentheses. */
const statOf = (pid: number): { readonly state: string; readonly started: string } => {
  const fields = textIn(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  return { state: fields[0] ?? '', started: fields[19] ?? '' }
}

const textIn = (file: string): string => attempt(() => readFileSync(file, 'utf8'))

const attempt = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ''
  }
}
