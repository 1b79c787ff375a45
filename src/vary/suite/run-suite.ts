import { open } from 'node:fs/promises'
import { messageOf } from '../../util/words.ts'
import { type StartedCommand, startCommand } from './start-command.ts'

export type SuiteEnd = {
  readonly passed: boolean
  readonly outcome: string
  readonly milliseconds: number
  readonly isTimeout?: boolean
}

type SuiteCommand = {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly output: string
  readonly timeout: number | undefined
  /** Ends a command that writes nothing for `limit` milliseconds, because the command may be watching files. */
  readonly silence?: { readonly limit: number; readonly written: () => Promise<number> } | undefined
  readonly signal: AbortSignal
}

export type RunSuite = (run: SuiteCommand) => Promise<SuiteEnd>

export const runSuite: RunSuite = async ({ command, environment, output, ...limits }) => {
  const began = performance.now()
  // Writes the output to a file, because a process that outlives the command would keep a pipe open.
  const file = await open(output, 'a')
  const end = await startCommand(command, { environment, stdio: ['ignore', file.fd, file.fd] })
    .then(
      (started) => endOf(started, limits),
      (error: unknown) => ({ passed: false, outcome: `could not be started: ${messageOf(error)}` }),
    )
    .finally(() => file.close())
  return { ...end, milliseconds: performance.now() - began }
}

const endOf = async (
  { ended, end }: StartedCommand,
  { timeout, silence, signal }: Pick<SuiteCommand, 'timeout' | 'silence' | 'signal'>,
): Promise<Omit<SuiteEnd, 'milliseconds'>> => {
  let late: string | undefined
  const stop = (reason: string): void => {
    late ??= reason
    end()
  }
  const timer = timeout && setTimeout(stop, timeout, `timed out after ${timeout / 1000} s`)
  const checks = silence && checkSilence(silence, stop)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const { code, signal: name } = await ended
  clearTimeout(timer)
  clearInterval(checks)
  signal.removeEventListener('abort', end)
  await end()
  if (late !== undefined) return { passed: false, outcome: late, isTimeout: true }
  return { passed: code === 0, outcome: name === null ? `exit code ${code}` : `ended by ${name}` }
}

const checkSilence = (
  { limit, written }: NonNullable<SuiteCommand['silence']>,
  stop: (reason: string) => void,
): NodeJS.Timeout => {
  let [last, since] = [-1, performance.now()]
  return setInterval(async () => {
    const count = await written().catch(() => last)
    if (count !== last) [last, since] = [count, performance.now()]
    else if (performance.now() - since >= limit) stop(`wrote nothing for ${limit / 1000} s`)
  }, limit / 6)
}
