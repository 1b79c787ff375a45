import type { Assumptions } from '../../core/assumptions/registry.ts'
import type { Plants } from '../../core/model/plants.ts'
import type { StartOptions } from '../../server/start/options.ts'
import type { Environment } from './environment.ts'
import type { RunSuite } from './run-suite.ts'

/** A test suite to run many times, each time with a new server, so that no state passes to the next run. */
export type SuiteRequest = {
  /** The program and its arguments. */
  readonly command: readonly string[]
  readonly environment: Environment
  /** The assumptions of a run without changes. */
  readonly base: Assumptions
  readonly server: { readonly options: StartOptions; readonly fixtures: Plants }
  /** How many runs may take place at the same time. Default: 1. */
  readonly jobs?: number | undefined
  /** Maximum time for a run, in milliseconds. Default: ten times the first run, at least a minute. */
  readonly timeout?: number | undefined
  /** The JUnit reports that the command writes: files, folders or patterns. Default: none, the test runner is observed. */
  readonly results?: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Receives the progress. */
  readonly log: (text: string) => void
  /** Whether progress goes to a terminal, where a line can be overwritten. */
  readonly interactive: boolean
  /** Runs the command once. Default: in processes of its own. */
  readonly runSuite?: RunSuite | undefined
}
