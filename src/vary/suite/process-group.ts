import { type ChildProcess, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export type ProcessGroup = {
  readonly size: () => number
  readonly signal: (name: NodeJS.Signals) => void
}

export const ownGroup = ({ pid = 0 }: ChildProcess): ProcessGroup => ({
  // Signal 0 also finds zombies, which remain if the first process of a container does not reap them.
  size: () => (kill(-pid, 0) ? (livingIn(pid) ?? 1) : 0),
  signal: (name) => kill(-pid, name),
})

/** Signals only the command, because the process group also contains plant-mock itself. */
export const sharedGroup = (child: ChildProcess): ProcessGroup => ({
  size: () => 0,
  signal: (name) => child.kill(name),
})

export const windowsTree = (child: ChildProcess): ProcessGroup => ({
  size: () => 0,
  signal() {
    // Skips an ended command, because Windows may have reused its process id.
    if (child.exitCode === null) spawnSync('taskkill', ['/pid', `${child.pid}`, '/t', '/f'], { stdio: 'ignore' })
  },
})

const kill = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

const livingIn = (group: number): number | undefined => {
  try {
    const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return ids.filter((pid) => isLivingIn(group, statOf(pid))).length
  } catch {
    return undefined
  }
}

const statOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

/** Searches for the last `)`, because the program's name in `/proc/PID/stat` may contain any character. */
export const isLivingIn = (group: number, stat: string): boolean => {
  const [state = 'Z', , own] = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ')
  return !/^[ZX]?$/.test(state) && Number(own) === group
}
