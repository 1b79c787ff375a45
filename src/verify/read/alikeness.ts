import type { AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'

export const answerParts = ['status', 'type', 'body'] as const
export type AnswerPart = (typeof answerParts)[number]

export type UnlikenessCause =
  | { readonly because: 'rule'; readonly id: string }
  /** Other clients added or removed plants, or no list showed the plants at the start. */
  | { readonly because: 'plants' }
  | { readonly because: 'other' | 'unseen' | 'assumption'; readonly id: AssumptionId; readonly value?: AssumptionValue }
  /** No assumption explains the difference: a defect of plant-mock. */
  | { readonly because: 'unknown' }

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

export type Alikeness = {
  readonly exchanges: number
  readonly alike: number
  /** For each part, the number of exchanges in which it is equal. */
  readonly same: Readonly<Record<AnswerPart, number>>
  readonly heldOut: { readonly exchanges: number; readonly alike: number }
  /** The expected share of clients' exchanges that are alike; `undefined` if too few kinds of requests are known. */
  readonly expected?: number
  readonly differences: readonly Unlikeness[]
}
