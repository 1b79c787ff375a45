import { PlantMockError } from '../util/errors.ts'
import type { Paint } from '../util/terminal.ts'
import type { RunSuite } from '../vary/suite/run-suite.ts'
import type { CliCommand } from './commands.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Values } from './options.ts'

export type CommandLine = {
  readonly command: CliCommand
  readonly isNamed: boolean
  readonly values: Values
  readonly flags: ReadonlyMap<string, readonly string[]>
  readonly operands: readonly string[]
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
  readonly isSlow: () => boolean
  readonly error: (text: string) => void
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly paint: Paint
  readonly width?: number | undefined
  readonly interactive: boolean
  readonly whileWaiting?: ((text: () => string) => () => void) | undefined
  readonly exit: (code: ExitCode) => void
  readonly isFirstProcess?: boolean
  /** True if the process has a terminal, which sends Ctrl-C to the whole process group. */
  readonly isAtTerminal: () => boolean
  /** Replaces the previous signal listener. With a listener, signals do not end the process. */
  readonly onSignal: (listen: (signal: StopSignal) => void) => void
  /** Calls `stop` at the first signal. A second signal ends the process at once. */
  readonly onStop: (stop: () => void) => void
  readonly wait?: (milliseconds: number) => Promise<void>
  readonly runSuite?: RunSuite
}

export const stopSignal = ({ onStop }: Pick<Terminal, 'onStop'>): AbortSignal => {
  const stop = new AbortController()
  onStop(() => stop.abort())
  return stop.signal
}

export type RunCliCommand = (line: CommandLine, terminal: Terminal, version: string) => Promise<number>

/** Exits with the code `failure`, unlike a plain PlantMockError, which exits with `usage`. */
export class SharedStoreError extends PlantMockError {}
