import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { windowsWord } from '../../util/shell.ts'
import { ownGroup, type ProcessGroup, sharedGroup, windowsTree } from './process-group.ts'

type StartCommandOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdio: StdioOptions
  /**
   * Whether the command stays in the process group of this process. A terminal then sends Ctrl-C, Ctrl-Z and changes of
   * its size to both, and the command can read from the terminal. If false (default), the command leads a new session
   * and group.
   */
  readonly sharesGroup?: boolean
}

/** Either `code` or `signal` is null. */
export type CommandEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** A running command, with its processes. */
export type StartedCommand = {
  readonly child: ChildProcess
  readonly group: ProcessGroup
  /** Resolves when the command has ended and, with pipes, every process that holds a pipe open. */
  readonly ended: Promise<CommandEnd>
  /** Ends all processes of the group with SIGTERM, and after 3 s the remaining processes with SIGKILL. */
  readonly end: () => Promise<void>
}

/** From SIGTERM to SIGKILL, in milliseconds. */
const killTimeout = 3_000

/** How often to check whether the processes of a group have ended, in milliseconds. */
const pollInterval = 50

/**
 * Starts a command.
 * @param words The program and its arguments. On Windows, where programs such as npm are scripts, a shell starts it.
 * @throws The error of the system if it cannot be started, such as ENOENT or EACCES.
 */
export const startCommand = async (
  words: readonly string[],
  { environment, stdio, sharesGroup = false }: StartCommandOptions,
): Promise<StartedCommand> => {
  const isWindows = process.platform === 'win32'
  const [program = '', ...args] = isWindows ? words.map(windowsWord) : words
  const env = environment as NodeJS.ProcessEnv
  const child = spawn(program, args, { env, stdio, detached: !(isWindows || sharesGroup), shell: isWindows })
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  await once(child, 'spawn')
  // From now on, an error means that a signal could not be sent.
  child.on('error', () => undefined)
  const group = isWindows ? windowsTree(child) : sharesGroup ? sharedGroup(child) : ownGroup(child)
  return { child, group, ended, end: () => endGroup(group) }
}

const endGroup = async (group: ProcessGroup): Promise<void> => {
  group.signal('SIGTERM')
  if (!(await endsWithin(group, killTimeout))) group.signal('SIGKILL')
}

/** Resolves to true as soon as the processes of a group have ended, or to false after `timeout` milliseconds. */
export const endsWithin = async (group: ProcessGroup, timeout: number): Promise<boolean> => {
  const deadline = performance.now() + timeout
  while (group.size() > 0) {
    if (performance.now() >= deadline) return false
    await delay(pollInterval)
  }
  return true
}
