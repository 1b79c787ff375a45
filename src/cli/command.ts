import { PlantMockError } from '../util/errors.ts'
import type { Paint } from '../util/terminal.ts'
import type { RunSuite } from '../vary/suite/run-suite.ts'
import type { CliCommand } from './commands.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Values } from './options.ts'

export type CommandLine = {
  readonly command: CliCommand
  /** Whether the line names the command; `serve` may be omitted. */
  readonly isNamed: boolean
  readonly values: Values
  /** The texts of each flag by its name; a switch has the text `true`. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  /** The arguments other than options, such as the URL of `verify`. The parser has checked their number. */
  readonly operands: readonly string[]
  /** The words after `--`: the command of `run` or `vary`. */
  readonly rest: readonly string[]
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** The exit codes of processes that these signals end, as shells report them. */
export const codeOfSignal: Readonly<Record<StopSignal, ExitCode>> = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hungUp,
}

/** The environment of a command: its streams, variables and signals. */
export type Terminal = {
  readonly out: (text: string) => void
  /** Whether the reader of standard output is so slow that text collects in memory. */
  readonly isSlow: () => boolean
  readonly error: (text: string) => void
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Styles text for standard output, if it takes colours. */
  readonly paint: Paint
  /** The width of standard output, in characters. Default: unlimited, if it is not a terminal. */
  readonly width?: number | undefined
  /** Whether standard error is a terminal, where a progress line can be overwritten. */
  readonly interactive: boolean
  /** Prints a text every 5 seconds, until the result is called. Default: never, as at a terminal that shows progress. */
  readonly whileWaiting?: ((text: () => string) => () => void) | undefined
  /** Whether this is the first process of a container. */
  readonly isFirstProcess: boolean
  readonly exit: (code: ExitCode) => void
  /** Whether stdin, stdout or stderr is a terminal: for Ctrl-C, it signals the whole process group. */
  readonly isAtTerminal: () => boolean
  /** Calls `listen` for each SIGINT, SIGTERM and SIGHUP instead of ending the process. Replaces an earlier listener. */
  readonly onSignal: (listen: (signal: StopSignal) => void) => void
  /** Calls `stop` at the first SIGINT, SIGTERM or SIGHUP; a second signal ends the process at once. */
  readonly onStop: (stop: () => void) => void
  /** Waits between the requests of a check. Default: a timer, which a stop ends. */
  readonly wait?: (milliseconds: number) => Promise<void>
  /** Runs the command of `vary` once. Default: in new processes. */
  readonly runSuite?: RunSuite
}

/** An abort signal that SIGINT, SIGTERM or SIGHUP triggers. */
export const stopSignal = ({ onStop }: Pick<Terminal, 'onStop'>): AbortSignal => {
  const stop = new AbortController()
  onStop(() => stop.abort())
  return stop.signal
}

/** Runs one command to its end. Resolves to the exit code: one of `exitCodes`, or for `run` its command's code. */
export type RunCliCommand = (line: CommandLine, terminal: Terminal, version: string) => Promise<number>

/**
 * The store of `--store` cannot be used, or its mock was started with other options. A failure, not an error of usage.
 */
export class SharedStoreError extends PlantMockError {}
