import { existsSync, readFileSync } from 'node:fs'
import type { Assume } from '../../core/assumptions/registry.ts'
import type { MutantId } from '../mutants/mutants.ts'

/** In the evidence folder: which services the mocks of a run serve instead of their own. */
export const servePlanFile = 'serve.json'

export type ServePlan = {
  /** The mutants to compare with. Sightings name them by their position. */
  readonly mutants: readonly MutantId[]
  /** The mutant to serve to each test file; `*` is every file. */
  readonly serve?: Readonly<Record<string, MutantId>>
  /** Assumptions to serve instead, except to the exchanges with these numbers. */
  readonly assume?: Assume
  readonly except?: readonly number[]
}

/** `undefined` in a folder of `vary`, whose mocks serve their assumptions. */
export const readServePlan = (folder: string): ServePlan | undefined => {
  const file = `${folder}/${servePlanFile}`
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ServePlan) : undefined
}
