import { type ChildProcess, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

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

/** A process of this machine that has not ended. */
export type ProcessRow = { readonly pid: number; readonly parent: number; readonly group: number }

/**
 * Lists the processes of this machine; empty where the list cannot be read.
 * @param platform As `process.platform`.
 */
export const listProcesses = (platform: NodeJS.Platform = process.platform): readonly ProcessRow[] => {
  try {
    // Slim images for containers have no `ps`.
    const rows = platform === 'linux' ? readProc().map(parseStat) : psRows()
    return rows.filter((row) => row !== undefined)
  } catch {
    return []
  }
}

const readProc = (): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8')
      } catch {
        // Ended since the folder was read.
        return ''
      }
    })

const psRows = (): readonly (ProcessRow | undefined)[] => {
  const { pid, stdout } = spawnSync('ps', ['-A', '-o', 'pid=,stat=,ppid=,pgid='], { encoding: 'utf8' })
  // `ps` lists itself too.
  return stdout
    .split('\n')
    .map(parsePs)
    .filter((row) => row?.pid !== pid)
}

/** Parses `/proc/PID/stat`: `12 (a (name)) S 1 12 …`; the name may contain any character. */
export const parseStat = (text: string): ProcessRow | undefined =>
  parsePs(`${text.split(' ', 1)[0]} ${text.slice(text.lastIndexOf(')') + 1)}`)

/** Parses a line of `ps -o pid=,stat=,ppid=,pgid=`. Leaves out zombies, which have ended and wait for their parent. */
export const parsePs = (line: string): ProcessRow | undefined => {
  const [pid, state = 'Z', parent, group] = line.trim().split(/\s+/)
  return /^[ZX]/.test(state) ? undefined : { pid: Number(pid), parent: Number(parent), group: Number(group) }
}

/**
 * Selects the processes that a command has started in a process group that it shares with others, such as the npm script
 * that runs plant-mock.
 * @param self The process that started the command.
 * @param before The ids of the processes that ran before the command.
 * @returns New members of the group that descend from `self`, or whose parent has ended; not those of a sibling.
 */
export const startedBy = (
  self: number,
  before: ReadonlySet<number>,
  processes: readonly ProcessRow[],
): readonly number[] => {
  const group = processes.find(({ pid }) => pid === self)?.group
  const members = new Map(processes.filter((row) => row.group === group).map((row) => [row.pid, row]))
  const isOurs = ({ pid, parent }: ProcessRow): boolean => {
    if (pid === self) return true
    if (before.has(pid)) return false
    const parentRow = members.get(parent)
    // A process whose parent has ended gets a parent outside of the group.
    return parentRow === undefined || isOurs(parentRow)
  }
  return [...members.values()].filter((row) => row.pid !== self && isOurs(row)).map(({ pid }) => pid)
}
