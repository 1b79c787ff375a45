import { readFileSync } from 'node:fs'
import type { Assume, AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'
import { PlantMockError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'
import type { MutantId } from './mutants.ts'
import { evidenceVariable } from './test-process.ts'

export type Alternative = {
  readonly id: AssumptionId
  readonly value: AssumptionValue
  readonly base: AssumptionValue
}

export type Change = Alternative | { readonly mutant: MutantId }

export type ChangeKey = string

export const keyOf = (change: Change | Pick<Alternative, 'id' | 'value'>): ChangeKey =>
  'mutant' in change ? change.mutant : `${change.id}=${change.value}`

export type TestId = string

export const testId = (file: string, name: string): TestId => `${file} > ${name}`

/** A file may run in several projects of Vitest, so the name of a test begins with the project. */
export const prefixOf = (project: string | undefined): string => (project ? `[${project}] ` : '')

export type Repeats = Readonly<Record<TestId, readonly ChangeKey[]>>

export type Plan = {
  readonly changes: readonly Change[]
  readonly areServed: boolean
  readonly repeats?: Repeats
  readonly isReversed?: boolean
}

export const planFile = 'plan.json'

export const readPlan = (folder: string): Plan => {
  try {
    return JSON.parse(readFileSync(`${folder}/${planFile}`, 'utf8')) as Plan
  } catch (error) {
    throw new PlantMockError(`${evidenceVariable} names a folder without a usable ${planFile} (${messageOf(error)})`)
  }
}

export const assumeOf = (changes: readonly Change[]): Assume =>
  Object.fromEntries(changes.flatMap((change) => ('mutant' in change ? [] : [[change.id, change.value]])))
