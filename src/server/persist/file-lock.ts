import { closeSync, openSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'

// Not the global ones: fake timers of a test must not let a lock become stale.
import { clearInterval, setInterval } from 'node:timers'
import { PlantMockError } from '../../util/errors.ts'
import { shared } from '../../util/shared.ts'

/** The functions that release the locks of this process, and one listener that calls them when it ends. */
const locksOfThisProcess = () =>
  shared('file locks', () => {
    const releases = new Set<() => void>()
    const releaseAll = (): void => {
      for (const release of releases) release()
    }
    return { releases, releaseAll }
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
  const content = `${process.pid}\n${thisSpace()}\n${statOf(process.pid).started}\n`
  if (!create(lock, content) && !takeOver(lock, content)) throw inUse(shownPath, lock)
  const renewal = setInterval(() => renew(lock, content), renewInterval)
  renewal.unref()
  const { releases, releaseAll } = locksOfThisProcess()
  const release = (): void => {
    clearInterval(renewal)
    releases.delete(release)
    if (releases.size === 0) process.off('exit', releaseAll)
    if (textIn(lock) === content) rmSync(lock, { force: true })
  }
  if (releases.size === 0) process.on('exit', releaseAll)
  releases.add(release)
  return release
}

/** @returns False when the file exists. */
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

/**
 * Replaces a stale lock. Several processes may find it stale: only the one that creates a second file, `.lock.new`, may
 * remove it. Otherwise the second one would remove the lock of the first.
 */
const takeOver = (lock: string, content: string): boolean => {
  const guard = `${lock}.new`
  // Empty, because the disk may be full.
  if (!create(guard, '')) {
    // It exists for milliseconds, unless its process was killed just then.
    if (Date.now() - modifiedAt(guard) > maxAge) rmSync(guard, { force: true })
    return false
  }
  try {
    // Both files have the time of the same file system.
    if (isHeld(lock, modifiedAt(guard))) return false
    rmSync(lock, { force: true })
    return create(lock, content)
  } finally {
    rmSync(guard, { force: true })
  }
}

const isHeld = (lock: string, now: number): boolean => {
  const owner = ownerOf(lock)
  // A process that was killed while it created its lock leaves it empty.
  return owner?.where === '' ? isRunning(owner) : now - modifiedAt(lock) <= maxAge
}

/** NaN, which makes each comparison false, for a file that was removed just now. */
const modifiedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN

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
  const { pid = 'unknown', where = '' } = ownerOf(lock) ?? {}
  if (pid === process.pid && where === '')
    return new PlantMockError(
      `${shownPath} is in use by another server of this process. Close it first, or choose another file.`,
    )
  const wait = where === '' ? '' : ` If it has ended, its lock is free ${maxAge / 1000} seconds later.`
  return new PlantMockError(
    `${shownPath} is in use by another server, process ${pid}${where}. Stop it, or choose another file; if no server uses this one, delete ${lock}.${wait}`,
  )
}

/** The process that a lock names, if it names one. */
const ownerOf = (lock: string) => {
  const [pid = '', space = '', started = ''] = textIn(lock).split('\n')
  if (!/^[1-9]\d{0,9}$/.test(pid)) return undefined
  const isHere = space === '' || space === thisSpace()
  return {
    pid: Number(pid),
    /** Empty where its pid can be looked up from here; otherwise its host, for messages. */
    where: isHere ? '' : ` on ${space.split(' ')[0]}`,
    /** When the process started, in ticks since the boot; empty where the system does not tell. */
    started,
  }
}

const isRunning = ({ pid, started }: { readonly pid: number; readonly started: string }): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Any other code means that the process exists: EPERM for a process of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  const found = statOf(pid)
  // Pids are used again. A killed process that nobody waits for, as in many containers, stays in the process table.
  return (started === '' || started === found.started) && !/[ZX]/.test(found.state)
}

/** Where a pid has its meaning: host, boot and namespace of processes. Containers on one volume often have the same pids. */
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
