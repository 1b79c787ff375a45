import type { Assumptions } from '../../core/assumptions/registry.ts'
import type { Plants } from '../../core/model/plants.ts'
import type { StartOptions } from '../../server/start/options.ts'
import type { Environment } from './environment.ts'
import type { RunSuite } from './run-suite.ts'

export type SuiteRequest = {
  readonly command: readonly string[]
  readonly environment: Environment
  readonly base: Assumptions
  /** Each run of the suite starts a new server, so that no state passes to the next run. */
  readonly server: { readonly options: StartOptions; readonly fixtures: Plants }
  readonly jobs?: number | undefined
  readonly timeout?: number | undefined
  readonly results?: readonly string[] | undefined
  readonly signal: AbortSignal
  readonly log: (text: string) => void
  readonly interactive: boolean
  readonly runSuite?: RunSuite | undefined
}
