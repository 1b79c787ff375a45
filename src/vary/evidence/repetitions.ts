import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { Change, TestId } from './plan.ts'

export type Repetition = {
  readonly test: TestId
  readonly change: Change | undefined
  readonly requests: string[]
  isRunning: boolean
  isChangeShown: boolean
  /** True if code outside of this repetition may have used its mocks, or may have run at the same time. */
  isShared: boolean
  outcome: RepetitionOutcome | undefined
}

export const createRepetition = (test: TestId, change: Change | undefined): Repetition => ({
  test,
  change,
  requests: [],
  isRunning: false,
  isChangeShown: false,
  isShared: false,
  outcome: undefined,
})

export type RepetitionOutcome = 'passed' | 'failed'

export type RecordedRepetition = Pick<Repetition, 'isChangeShown' | 'isShared' | 'outcome'> & {
  readonly requests: string
}

export const currentRepetition = new AsyncLocalStorage<Repetition>()

export const recorded = ({ requests, ...repetition }: Repetition): RecordedRepetition => ({
  ...repetition,
  requests: createHash('sha256').update(requests.toSorted().join('\n')).digest('base64'),
})
