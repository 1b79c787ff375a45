import { readFileSync } from 'node:fs'
import type { Assume, AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'
import { PlantMockError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'
import type { MutantId } from './mutants.ts'
import { evidenceVariable } from './test-process.ts'

/** A value that replaces the base value of an assumption. */
export type Alternative = {
  readonly id: AssumptionId
  readonly value: AssumptionValue
  readonly base: AssumptionValue
}

/** One change of the service in a run. */
export type Change = Alternative | { readonly mutant: MutantId }

/** A change as text, such as `list.order=newest` or `list.twice`. */
export type ChangeKey = string

export const keyOf = (change: Change | Pick<Alternative, 'id' | 'value'>): ChangeKey =>
  'mutant' in change ? change.mutant : `${change.id}=${change.value}`

/** Identifies a test: its file and its name. */
export type TestId = string

export const testId = (file: string, name: string): TestId => `${file} > ${name}`

/** The prefix of the name of a test, because a file may run in several projects. */
export const prefixOf = (project: string | undefined): string => (project ? `[${project}] ` : '')

/** The changes under which each test is repeated. */
export type Repeats = Readonly<Record<TestId, readonly ChangeKey[]>>

/** What the mocks of a run do. */
export type Plan = {
  readonly changes: readonly Change[]
  /** Whether mocks serve the changes: one mutant, or alternatives. If false, they only look for them. */
  readonly areServed: boolean
  /** If present, mocks serve the change of their repetition alone. */
  readonly repeats?: Repeats
  /** Whether the tests of each file run in reverse order. Default: false. */
  readonly isReversed?: boolean
}

/** The name of the plan's file in the evidence folder. */
export const planFile = 'plan.json'

/** @throws PlantMockError for a folder that `vary` has not prepared. */
export const readPlan = (folder: string): Plan => {
  try {
    return JSON.parse(readFileSync(`${folder}/${planFile}`, 'utf8')) as Plan
  } catch (error) {
    throw new PlantMockError(`${evidenceVariable} names a folder without a usable ${planFile} (${messageOf(error)})`)
  }
}

/** The assumptions that alternatives set. */
export const assumeOf = (changes: readonly Change[]): Assume =>
  Object.fromEntries(changes.flatMap((change) => ('mutant' in change ? [] : [[change.id, change.value]])))
