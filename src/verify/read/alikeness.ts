import type { AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'

export const answerParts = ['status', 'type', 'body'] as const
export type AnswerPart = (typeof answerParts)[number]

/** Why a mock responds differently from the service that it imitates. */
export type UnlikenessCause =
  /** The service breaks a rule of the contract, which the mock keeps. */
  | { readonly because: 'rule'; readonly id: string }
  /** Other clients added or removed plants, or no list showed the plants at the start. */
  | { readonly because: 'plants' }
  /**
   * An assumption: the registry lacks the value, no exchange showed it, or the learned value is wrong in this exchange.
   * @property value A value that would remove the difference.
   */
  | { readonly because: 'other' | 'unseen' | 'assumption'; readonly id: AssumptionId; readonly value?: AssumptionValue }
  /** No assumption explains the difference: a defect of plant-mock. */
  | { readonly because: 'unknown' }

/** Exchanges that differ in the same way and for the same reason. */
export type Unlikeness = {
  /** Method and path of the first exchange. */
  readonly exchange: string
  readonly curl: string
  readonly section: string
  readonly parts: readonly AnswerPart[]
  /** The difference in the first exchange, in words. */
  readonly differs: string
  readonly cause: UnlikenessCause
  readonly exchanges: number
}

/** How closely a mock matches a service, as numbers of exchanges. */
export type Alikeness = {
  readonly exchanges: number
  /** Exchanges without a difference. */
  readonly alike: number
  /** For each part, the number of exchanges in which it is equal. */
  readonly same: Readonly<Record<AnswerPart, number>>
  /** Exchanges with requests that were drawn at random after the check. */
  readonly heldOut: { readonly exchanges: number; readonly alike: number }
  /** The expected share of clients' exchanges that are alike; `undefined` if too few kinds of requests are known. */
  readonly expected?: number
  readonly differences: readonly Unlikeness[]
}
