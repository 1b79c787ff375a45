import {
  type Assumption,
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  parseValue,
  rowOf,
} from '../../core/assumptions/registry.ts'
import { isPassing, isTokenRefused, type TestResponse } from './response.ts'

export type Scope = {
  /** The number of plants, requests or bytes with which `none` was observed. A larger number may reveal a limit. */
  readonly upTo?: number
  /** The inputs or callers behind a partial finding. */
  readonly evidence?: string
}

export const describeScope = (found: string, { upTo, evidence }: Scope, id: AssumptionId): string =>
  `${found}${upTo === undefined ? '' : `, up to ${upTo} ${rowOf(id).unit ?? 'plants'}`}${evidence === undefined ? '' : `, from ${evidence} alone`}`

/** Behaviour outside of the registry. @property nearest A value that some of the responses show. */
type Other = { readonly other: string; readonly nearest?: AssumptionValue } & Pick<Scope, 'evidence'>
type Unseen = { readonly unseen: string }
type Limited<Value> = { readonly value: Value } & Scope

/** A value, perhaps with partial evidence; other behaviour; or why nothing could be observed. */
export type ProbeFinding<Value extends AssumptionValue = AssumptionValue> = Value | Limited<Value> | Other | Unseen

export const isUnseen = (finding: ProbeFinding): boolean => typeof finding === 'object' && 'unseen' in finding

export const unseen = (reason: string): Unseen => ({ unseen: reason })
export const other = (behaviour: string, nearest?: AssumptionValue): Other => ({
  other: behaviour,
  ...(nearest !== undefined && { nearest }),
})

export const valueIn = (finding: ProbeFinding | undefined): AssumptionValue | undefined => {
  if (typeof finding !== 'object') return finding
  return 'value' in finding ? finding.value : undefined
}

/** Adds partial evidence to a finding. @param evidence `undefined` for complete evidence. */
export const partial = <Value extends AssumptionValue>(
  finding: ProbeFinding<Value>,
  evidence: string | undefined,
): ProbeFinding<Value> => {
  if (evidence === undefined) return finding
  if (typeof finding !== 'object') return { value: finding, evidence }
  return 'unseen' in finding ? finding : { ...finding, evidence }
}

/** The roundest whole number above `low` and up to `high`. */
export const roundNumber = (low: number, high: number): number => {
  const step = [1000, 500, 250, 100, 50, 25, 10, 5].find((one) => Math.floor(high / one) * one > low) ?? 1
  return Math.max(1, Math.floor(high / step) * step)
}

export const otherStatus = (response: TestResponse): Other | Unseen => {
  const { status, isDisguised = false } = response
  if (isDisguised) return unseen(`it responds with ${status} to errors too`)
  const isAboutRequest = !isPassing(response) && !isTokenRefused(response)
  return (isAboutRequest ? other : unseen)(`it responds with ${status}`)
}

/** @param behaviour Other behaviour in words, if the registry lacks the value. Default: the text. */
export const known = <Id extends AssumptionId>(id: Id, text: string | number, behaviour = String(text)) =>
  (parseValue(id, String(text)) as Assumptions[Id] | undefined) ?? other(behaviour)

export const statusOf = <Id extends AssumptionId>(id: Id, response: TestResponse) => {
  const found = otherStatus(response)
  return 'unseen' in found ? found : known(id, response.status, found.other)
}

export type AssumptionResult = Pick<Assumption, 'id' | 'section' | 'question'> & {
  readonly assumed: AssumptionValue
} & (
    | ({ readonly outcome: 'agrees' | 'differs'; readonly found: AssumptionValue } & Scope)
    | ({
        readonly outcome: 'other'
        readonly found: string
        /** The value that makes a mock match the service best. */
        readonly nearest?: AssumptionValue
      } & Pick<Scope, 'evidence'>)
    | { readonly outcome: 'unseen'; readonly reason: string }
  )

export const assumptionResult = (
  { id, section, question }: Assumption,
  assumed: AssumptionValue,
  given: ProbeFinding,
): AssumptionResult => {
  const row = { id, section, question, assumed }
  const finding = typeof given === 'object' ? given : { value: given }
  if ('unseen' in finding) return { ...row, outcome: 'unseen', reason: finding.unseen }
  if ('other' in finding) {
    const { other: found, ...scope } = finding
    return { ...row, outcome: 'other', found, ...scope }
  }
  const { value: found, ...scope } = finding
  return { ...row, outcome: found === assumed ? 'agrees' : 'differs', found, ...scope }
}
