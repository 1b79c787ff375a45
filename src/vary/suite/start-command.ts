import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { windowsWord } from '../../util/shell.ts'
import { ownGroup, type ProcessGroup, sharedGroup, windowsTree } from './process-group.ts'

type StartCommandOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdio: StdioOptions
  /** Runs the command in plant-mock's process group, which a terminal requires for input and Ctrl-C. */
  readonly sharesGroup?: boolean
}

export type CommandEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type StartedCommand = {
  readonly child: ChildProcess
  readonly group: ProcessGroup
  readonly ended: Promise<CommandEnd>
  readonly end: () => Promise<void>
}

const killTimeout = 3_000

const pollInterval = 50

export const startCommand = async (
  words: readonly string[],
  { environment, stdio, sharesGroup = false }: StartCommandOptions,
): Promise<StartedCommand> => {
  const isWindows = process.platform === 'win32'
  // On Windows, programs such as npm are scripts, which only a shell can start.
  const [program = '', ...args] = isWindows ? words.map(windowsWord) : words
  const env = environment as NodeJS.ProcessEnv
  const child = spawn(program, args, { env, stdio, detached: !(isWindows || sharesGroup), shell: isWindows })
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  await once(child, 'spawn')
  // Ignores errors after the start, which only mean that a signal could not be sent.
  child.on('error', () => undefined)
  const group = isWindows ? windowsTree(child) : sharesGroup ? sharedGroup(child) : ownGroup(child)
  const end = async (): Promise<void> => {
    group.signal('SIGTERM')
    if (!(await endsWithin(group, killTimeout))) group.signal('SIGKILL')
  }
  return { child, group, ended, end }
}

export const endsWithin = async (group: ProcessGroup, timeout: number): Promise<boolean> => {
  const deadline = performance.now() + timeout
  while (group.size() > 0) {
    if (performance.now() >= deadline) return false
    await delay(pollInterval)
  }
  return true
}
