import { PlantMockError } from '../util/errors.ts'
import type { Paint } from '../util/terminal.ts'
import type { RunSuite } from '../vary/suite/run-suite.ts'
import type { CliCommand } from './commands.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Values } from './options.ts'

export type CommandLine = {
  readonly command: CliCommand
  /** False if `serve` is omitted. */
  readonly isNamed: boolean
  readonly values: Values
  /** The text of a switch is `true`. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  readonly operands: readonly string[]
  /** The words after `--` are the command of `run` or `vary`. */
  readonly rest: readonly string[]
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export const codeOfSignal: Readonly<Record<StopSignal, ExitCode>> = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hungUp,
}

export type Terminal = {
  readonly out: (text: string) => void
  /** Whether text collects in memory, because standard output is read too slowly. */
  readonly isSlow: () => boolean
  readonly error: (text: string) => void
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly paint: Paint
  /** In characters. Default: unlimited. */
  readonly width?: number | undefined
  readonly interactive: boolean
  /** Prints a text every 5 seconds, until the result is called. Absent if `interactive`: a line shows the progress. */
  readonly whileWaiting?: ((text: () => string) => () => void) | undefined
  readonly exit: (code: ExitCode) => void
  /** Whether this is the first process of a container. */
  readonly isFirstProcess?: boolean
  /** A terminal sends Ctrl-C to the whole process group. */
  readonly isAtTerminal: () => boolean
  /** `listen` replaces an earlier listener. The signals then no longer end the process. */
  readonly onSignal: (listen: (signal: StopSignal) => void) => void
  /** The first signal calls `stop`; a second one ends the process at once. */
  readonly onStop: (stop: () => void) => void
  /** Used between the requests of a check. Default: a timer, which a stop ends. */
  readonly wait?: (milliseconds: number) => Promise<void>
  /** Default: runs the command of `vary` in new processes. */
  readonly runSuite?: RunSuite
}

export const stopSignal = ({ onStop }: Pick<Terminal, 'onStop'>): AbortSignal => {
  const stop = new AbortController()
  onStop(() => stop.abort())
  return stop.signal
}

/** Resolves to one of `exitCodes`, or for `run` to the code of its command. */
export type RunCliCommand = (line: CommandLine, terminal: Terminal, version: string) => Promise<number>

/** Ends the command as a failure; other errors of plant-mock count as errors of usage. */
export class SharedStoreError extends PlantMockError {}
