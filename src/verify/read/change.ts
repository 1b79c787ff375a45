import type { AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'
import type { ReportedTest } from '../../util/terminal.ts'

export type ServiceChange = {
  readonly id: AssumptionId
  readonly section: string
  readonly was: string
  readonly is: string
  readonly value?: AssumptionValue
}

export const describeChange = ({ was, is }: Pick<ServiceChange, 'was' | 'is'>): string =>
  /\s/.test(was + is) ? `before: ${was}; now: ${is}` : `was ${was}, is ${is}`

export type Effect = {
  readonly breaks: readonly ReportedTest[]
  /** How the command ended, if it failed but no failing test is known. */
  readonly breaksCommand?: string
}

export type Consequence = Effect & {
  readonly exercisedBy?: number
  readonly notExercised: boolean
  /** Why it is unknown whether the change breaks a test. */
  readonly notJudged?: string
  readonly repeat?: string
}

export type JudgedChange = ServiceChange & Partial<Consequence>
