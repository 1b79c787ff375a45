import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { messageOf } from '../util/words.ts'
import { type StartedCommand, startCommand } from './start-command.ts'

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

/** Runs a test suite once. */
export const runSuite = async ({ command, environment, output, ...limits }: SuiteRun): Promise<SuiteResult> => {
  const began = performance.now()
  const file = createWriteStream(output)
  const written = finished(file)
  // Awaited below, and until then no unhandled rejection.
  written.catch(() => undefined)
  const failure = await startCommand(command, { environment, stdio: ['ignore', 'pipe', 'pipe'] }).then(
    (started) => {
      for (const stream of [started.child.stdout, started.child.stderr]) {
        stream?.pipe(file, { end: false })
        // If the file fails, drains the pipe: the command would block on a full one.
        written.catch(() => stream?.resume())
      }
      return failureOf(started, limits)
    },
    (error: unknown) => `could not be started: ${messageOf(error)}`,
  )
  file.end()
  await written
  const milliseconds = performance.now() - began
  return { passed: failure === undefined, outcome: failure ?? 'exit code 0', milliseconds }
}

/** Waits for the end of the command. Resolves to `undefined` when it succeeds. */
const failureOf = async (
  { ended, end }: StartedCommand,
  { timeout, signal }: Pick<SuiteRun, 'timeout' | 'signal'>,
): Promise<string | undefined> => {
  let hasTimedOut = false
  const onTimeout = (): void => {
    hasTimedOut = true
    end()
  }
  const timer = timeout === undefined ? undefined : setTimeout(onTimeout, timeout)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const { code, signal: name } = await ended
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  if (hasTimedOut) return `timed out after ${(timeout ?? 0) / 1000} s`
  if (name !== null) return `ended by ${name}`
  return code === 0 ? undefined : `exit code ${code}`
}
