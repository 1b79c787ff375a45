import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

/** How one run of the command ended. */
export type RunResult = {
  readonly passed: boolean
  /** `exit code 1`, `ended by SIGSEGV`, `did not end within 60 s`, `could not be started: …`. */
  readonly ending: string
  readonly milliseconds: number
}

export type RunOptions = {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The file that takes what the command prints, on both streams. */
  readonly output: string
  /** In milliseconds; nothing is as long as it takes. */
  readonly timeout: number | undefined
  /** Ends the run, with all processes that the command started. */
  readonly signal: AbortSignal
}

/** How long a command may take to end when it is told to, before it is killed. In milliseconds. */
const patience = 3_000

/** Runs the command once, to its end. */
export const runOnce = async ({
  command,
  environment,
  output,
  timeout,
  signal,
}: RunOptions): Promise<RunResult> => {
  const began = performance.now()
  const [program = '', ...args] = command
  const file = createWriteStream(output)
  const written = finished(file)
  // A process group of its own, so that what the command starts ends with it.
  const child = spawn(program, args, {
    env: environment as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32',
  })
  child.stdout.pipe(file, { end: false })
  child.stderr.pipe(file, { end: false })
  // A command whose output nobody reads would wait for ever.
  written.catch(() => {
    child.stdout.resume()
    child.stderr.resume()
  })

  let timedOut = false
  const end = () => endAll(child)
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true
          end()
        }, timeout)
  signal.addEventListener('abort', end, { once: true })
  const ending = await new Promise<string | 0>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`))
    child.once('close', (code, name) =>
      resolve(code === 0 ? 0 : name === null ? `exit code ${code}` : `ended by ${name}`),
    )
  })
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  file.end()
  await written
  return {
    passed: ending === 0 && !timedOut,
    ending: timedOut
      ? `did not end within ${(timeout ?? 0) / 1000} s`
      : ending === 0
        ? 'exit code 0'
        : ending,
    milliseconds: performance.now() - began,
  }
}

const endAll = (child: ChildProcess): void => {
  kill(child, 'SIGTERM')
  const timer = setTimeout(() => kill(child, 'SIGKILL'), patience)
  child.once('close', () => clearTimeout(timer))
}

const kill = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch (error) {
    // The group is gone already: that is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
