import type { EventLog } from '../event-log.ts'
import type { ModulePatch } from '../module-hook.ts'

/** A package in a folder `node_modules`. */
export type ProgramPackage = {
  readonly name: string
  readonly version: string
  /** Whether the program is one that the package provides as a command. */
  readonly isCommand: boolean
}

/** The process that the preload runs in. */
export type SuiteProcess = {
  /** The path of the program, with symbolic links resolved and `/` as the separator; empty for `node -e`. */
  readonly script: string
  /** The package that the program belongs to. */
  readonly package: ProgramPackage | undefined
  /** The first 64 KiB of the program. */
  readonly text: () => string
  readonly isMainThread: () => boolean
  readonly log: EventLog
  /** The absolute paths of the test files to run; `undefined` for all. */
  readonly selection: ReadonlySet<string> | undefined
  /** The path of another file of the preload. */
  readonly fileOf: (name: string) => string
}

/** How the tests of one runner are observed. */
export type Runner = {
  /** Observes the process if it is one of this runner. Called once, before the program and after `patches`. */
  readonly observe?: (process: SuiteProcess) => void
  /** Changes CommonJS modules of the runner when they are loaded. */
  readonly patches?: (process: SuiteProcess) => readonly ModulePatch[]
}
