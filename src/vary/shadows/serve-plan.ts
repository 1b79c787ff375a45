import { existsSync, readFileSync } from 'node:fs'
import type { WatchOptions } from '../../core/mock/observer.ts'
import type { MutantId } from '../mutants/mutants.ts'
import type { Alternative, EvidenceLog } from './evidence.ts'

/** In the evidence folder: which services the mocks of a run serve instead of their own. */
export const servePlanFile = 'serve.json'

export type ServePlan = {
  /** The mutants to compare with. Sightings name them by their position. */
  readonly mutants: readonly MutantId[]
  /** The mutant to serve to each lifetime or test file; `*` is every file. */
  readonly serve?: Readonly<Record<string, MutantId>>
}

/** In a plan, every file: the whole command. */
export const whole = '*'

/** Names a lifetime of the state of a mock in a plan. */
export const lifetimeKey = (file: string | undefined, lifetime: number): string => `${file ?? ''}#${lifetime}`

/** Alternatives that apply to single exchanges of a test file. */
export type ApplyPlan = {
  readonly alternatives: readonly Alternative[]
  /** By name within the test file. Default: all. */
  readonly exchanges?: readonly string[]
}

/** The options of a service that a plan replaces. */
export type PlannedOptions<Plan> = WatchOptions & {
  readonly evidence: EvidenceLog
  readonly plan: Plan
  /** Those of the code that runs tests. */
  readonly globals: object
}

/** `undefined` for mocks that serve their assumptions. */
export const readServePlan = (folder: string): ServePlan | ApplyPlan | undefined => {
  const file = `${folder}/${servePlanFile}`
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ServePlan | ApplyPlan) : undefined
}
