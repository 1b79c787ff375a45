import { type ChildProcess, spawnSync } from 'node:child_process'
import { listProcesses, startedBy } from './process-table.ts'

/** The processes that a command has started, as far as they can be found. */
export type ProcessGroup = {
  /** The ids of those that have not ended. Empty on Windows. */
  readonly members: () => readonly number[]
  /** Sends a signal to all of them. */
  readonly signal: (name: NodeJS.Signals) => void
}

/** The group that the command leads. A process that starts a group of its own, such as a daemon, leaves it. */
export const ownGroup = ({ pid = 0 }: ChildProcess): ProcessGroup => ({
  // Signal 0 checks for existence; the list is read only then, because a zombie exists too.
  members: () => (kill(-pid, 0) ? idsIn(pid) : []),
  signal: (name) => kill(-pid, name),
})

const idsIn = (group: number): readonly number[] => {
  const processes = listProcesses()
  if (processes.length === 0) return [group]
  return processes.filter((row) => row.group === group).map(({ pid }) => pid)
}

/** @param before The ids of the processes that ran before the command. */
export const sharedGroup = (before: ReadonlySet<number>): ProcessGroup => {
  const members = () => startedBy(process.pid, before, listProcesses())
  return {
    members,
    signal(name) {
      for (const pid of members()) kill(pid, name)
    },
  }
}

/** Windows has neither groups nor signals: a process and its descendants are terminated. */
export const windowsTree = (child: ChildProcess): ProcessGroup => ({
  members: () => [],
  signal() {
    // Windows may give the id of a process that has ended to another one.
    if (child.exitCode === null) spawnSync('taskkill', ['/pid', `${child.pid}`, '/t', '/f'], { stdio: 'ignore' })
  },
})

/** @returns Whether a signal was sent: not to a process that has ended, or that belongs to another user. */
const kill = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
