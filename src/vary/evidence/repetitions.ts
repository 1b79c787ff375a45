import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { Change, TestId } from './plan.ts'

/** One repetition of a test, with the mocks that are created in it. */
export type Repetition = {
  readonly test: TestId
  /** The change that its mocks serve; `undefined` for none. */
  readonly change: Change | undefined
  readonly requests: string[]
  hasBegun: boolean
  isRunning: boolean
  /** Whether a response showed the change. */
  isShown: boolean
  /** Whether it shared a mock, or something else, with other code. */
  isShared: boolean
  outcome: RepetitionOutcome | undefined
}

export type RepetitionOutcome = 'passed' | 'failed'

/** A repetition as a line of evidence contains it. */
export type RecordedRepetition = Pick<Repetition, 'isShown' | 'isShared' | 'outcome'> & {
  /** Equal for equal requests, in any order. */
  readonly requests: string
}

/** The repetition that the running code belongs to, also when tests run concurrently. */
export const currentRepetition = new AsyncLocalStorage<Repetition>()

export const recorded = ({ requests, ...repetition }: Repetition): RecordedRepetition => ({
  ...repetition,
  requests: createHash('sha256').update(requests.toSorted().join('\n')).digest('base64'),
})
