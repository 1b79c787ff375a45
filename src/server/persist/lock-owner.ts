import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The process that holds a lock, as its lock file names it. */
export type LockOwner = {
  readonly pid: number
  /**
   * Where the pid has its meaning: host, boot and namespace of processes. Containers on one volume often have the same
   * pids. Empty in the lock of an earlier version.
   */
  readonly space: string
  /** When the process started, in ticks since the boot; empty where the system does not tell. */
  readonly started: string
}

/** This process. */
export const thisOwner = (): LockOwner => ({ pid: process.pid, space: thisSpace(), started: startOf(process.pid) })

export const ownerText = ({ pid, space, started }: LockOwner): string => `${pid}\n${space}\n${started}\n`

/** @returns `undefined` for a text that names no process. */
export const parseOwner = (text: string): LockOwner | undefined => {
  const [pid = '', space = '', started = ''] = text.split('\n')
  return /^[1-9]\d{0,9}$/.test(pid.trim()) ? { pid: Number(pid), space, started } : undefined
}

/** Whether the pid of an owner can be looked up from here. */
export const isInThisSpace = ({ space }: LockOwner): boolean => space === '' || space === thisSpace()

/** Whether an owner whose pid can be looked up still runs. */
export const isRunning = ({ pid, started }: LockOwner): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Any other code means that the process exists: EPERM for a process of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  // A killed process that nobody waits for, as in many containers, stays in the process table (Linux: proc(5)).
  if (/\) [ZX] /.test(textIn(`/proc/${pid}/stat`))) return false
  // Pids are used again, by this process too.
  return started === '' ? pid !== process.pid : started === startOf(pid)
}

const thisSpace = (): string =>
  `${hostname()} ${textIn('/proc/sys/kernel/random/boot_id').trim()} ${linkAt('/proc/self/ns/pid')}`

/** Field 22 of proc(5); the name of the program before it may contain spaces and parentheses. */
const startOf = (pid: number): string =>
  textIn(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')[19] ?? ''

/** The text of a file; empty when it cannot be read. */
export const textIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const linkAt = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
