import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

/** The result of one run of a test suite. */
export type SuiteResult = {
  readonly passed: boolean
  /** `exit code 1`, `ended by SIGSEGV`, `timed out after 60 s` or `could not be started: …`. */
  readonly outcome: string
  readonly milliseconds: number
}

type SuiteRun = {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The file that standard output and standard error are written to. */
  readonly output: string
  /** In milliseconds; `undefined` for no limit. */
  readonly timeout: number | undefined
  /** Ends the run, including all processes that the command started. */
  readonly signal: AbortSignal
}

/** From SIGTERM to SIGKILL, in milliseconds. */
const killTimeout = 3_000

/** Runs a test suite once. */
export const runSuite = async ({ command, environment, output, ...limits }: SuiteRun): Promise<SuiteResult> => {
  const began = performance.now()
  const [program = '', ...args] = command
  const file = createWriteStream(output)
  const written = finished(file)
  const child = spawn(program, args, {
    env: environment as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Starts a process group, so that the processes that the command starts can be ended with it.
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32',
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(file, { end: false })
    // If the file fails, drains the pipe: the command would block on a full one.
    written.catch(() => stream.resume())
  }
  const failure = await failureOf(child, limits)
  file.end()
  await written
  const milliseconds = performance.now() - began
  return { passed: failure === undefined, outcome: failure ?? 'exit code 0', milliseconds }
}

/** Waits for the end of the process. Resolves to `undefined` when it succeeds. */
const failureOf = async (child: ChildProcess, { timeout, signal }: Pick<SuiteRun, 'timeout' | 'signal'>) => {
  const end = () => endGroup(child)
  let hasTimedOut = false
  const onTimeout = (): void => {
    hasTimedOut = true
    end()
  }
  const timer = timeout === undefined ? undefined : setTimeout(onTimeout, timeout)
  signal.addEventListener('abort', end, { once: true })
  const failure = await once(child, 'close').then(
    ([code, name]) => (code === 0 ? undefined : name === null ? `exit code ${code}` : `ended by ${name}`),
    (error: Error) => `could not be started: ${error.message}`,
  )
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  return hasTimedOut ? `timed out after ${(timeout ?? 0) / 1000} s` : failure
}

const endGroup = (child: ChildProcess): void => {
  kill(child, 'SIGTERM')
  const timer = setTimeout(() => kill(child, 'SIGKILL'), killTimeout)
  child.once('close', () => clearTimeout(timer))
}

const kill = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch (error) {
    // ESRCH: the group has ended already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
