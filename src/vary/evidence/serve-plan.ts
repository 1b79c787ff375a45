import { existsSync, readFileSync } from 'node:fs'
import type { MutantId } from './mutants.ts'

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

/** `undefined` for mocks that serve their assumptions. */
export const readServePlan = (folder: string): ServePlan | undefined => {
  const file = `${folder}/${servePlanFile}`
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ServePlan) : undefined
}
