import type { AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'
import type { ReportedTest } from '../../util/terminal.ts'

/** An assumption whose observed behaviour differs from what a file expects. */
export type ServiceChange = {
  readonly id: AssumptionId
  readonly section: string
  /** A value, or behaviour in words. */
  readonly was: string
  readonly is: string
  /** The later observation, if it is a value. */
  readonly value?: AssumptionValue
}

/** `was 200, is 201`; a longer form for behaviour in words. */
export const describeChange = ({ was, is }: Pick<ServiceChange, 'was' | 'is'>): string =>
  /\s/.test(was + is) ? `before: ${was}; now: ${is}` : `was ${was}, is ${is}`

/** What a service's change breaks, or all changes at once. */
export type Effect = {
  /** The tests that fail because of this change alone, or because of all changes and none alone. */
  readonly breaks: readonly ReportedTest[]
  /** How the command ended, if it failed but no failing test is known. */
  readonly breaksCommand?: string
}

/** The effect of a service's change on a test suite. */
export type Consequence = Effect & {
  /** The number of tests in which a response would differ; `undefined` if unknown. */
  readonly exercisedBy?: number
  readonly notExercised: boolean
  /** Why it is unknown whether the change breaks a test. */
  readonly notJudged?: string
  /** The shell command that runs the suite under this change. */
  readonly repeat?: string
}

export type JudgedChange = ServiceChange & Partial<Consequence>
