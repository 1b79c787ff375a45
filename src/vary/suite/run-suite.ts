import { open } from 'node:fs/promises'
import { messageOf } from '../../util/words.ts'
import { type StartedCommand, startCommand } from './start-command.ts'

/** How the command of a test suite ended. */
export type SuiteEnd = {
  readonly passed: boolean
  /** `exit code 1`, `ended by SIGSEGV`, `timed out after 60 s` or `could not be started: …`. */
  readonly outcome: string
  readonly milliseconds: number
}

type SuiteCommand = {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The file with standard output and standard error. */
  readonly output: string
  /** In milliseconds; `undefined` for no limit. */
  readonly timeout: number | undefined
  /** Aborted to end the run with all processes that the command started. */
  readonly signal: AbortSignal
}

export type RunSuite = (run: SuiteCommand) => Promise<SuiteEnd>

/** Runs a test suite once, in processes of its own. */
export const runSuite: RunSuite = async ({ command, environment, output, ...limits }) => {
  const began = performance.now()
  // A file, because a leftover process would keep a pipe open. All writers append.
  const file = await open(output, 'a')
  const end = await startCommand(command, { environment, stdio: ['ignore', file.fd, file.fd] })
    .then(
      (started) => endOf(started, limits),
      (error: unknown) => ({ passed: false, outcome: `could not be started: ${messageOf(error)}` }),
    )
    .finally(() => file.close())
  return { ...end, milliseconds: performance.now() - began }
}

/** Waits for the end of the command, then ends leftover processes. */
const endOf = async (
  { ended, end }: StartedCommand,
  { timeout, signal }: Pick<SuiteCommand, 'timeout' | 'signal'>,
): Promise<Omit<SuiteEnd, 'milliseconds'>> => {
  let timedOut = false
  const onTimeout = (): void => {
    timedOut = true
    end()
  }
  const timer = timeout === undefined ? undefined : setTimeout(onTimeout, timeout)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const { code, signal: name } = await ended
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  await end()
  if (timedOut) return { passed: false, outcome: `timed out after ${(timeout ?? 0) / 1000} s` }
  return { passed: code === 0, outcome: name === null ? `exit code ${code}` : `ended by ${name}` }
}
