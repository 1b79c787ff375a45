import type { Entry, Observed } from '../../core/assumptions/file.ts'
import {
  type Assumption,
  type AssumptionId,
  type AssumptionValue,
  parseValue,
  rowOf,
} from '../../core/assumptions/registry.ts'
import { isTokenRefused, isTransient, type TestResponse } from './response.ts'

export const textOf = ({ value, other }: Observed): string => other ?? String(value)

export const describeScope = (
  found: string,
  { upTo, evidence }: Pick<Entry, 'upTo' | 'evidence'>,
  id: AssumptionId,
): string =>
  `${found}${upTo === undefined ? '' : `, up to ${upTo} ${rowOf(id).unit ?? 'plants'}`}${evidence === undefined ? '' : `, from ${evidence} alone`}`

export type ProbeFinding<Value extends AssumptionValue = AssumptionValue> = Value | Entry

export const entryOf = (finding: ProbeFinding): Entry => (typeof finding === 'object' ? finding : { value: finding })

export const unseen = (reason: string): Entry => ({ unseen: reason })
export const other = (behaviour: string, nearest?: AssumptionValue): Entry => ({
  other: behaviour,
  ...(nearest !== undefined && { nearest }),
})

export const partial = (entry: Entry, evidence: string | undefined): Entry =>
  evidence === undefined || entry.unseen !== undefined ? entry : { ...entry, evidence }

/** Returns the roundest number in the interval, because configured limits and delays are usually round. */
export const roundNumber = (low: number, high: number): number => {
  const step = [1000, 500, 250, 100, 50, 25, 10, 5].find((one) => Math.floor(high / one) * one > low) ?? 1
  return Math.max(1, Math.floor(high / step) * step)
}

export const otherStatus = (response: TestResponse): Entry => {
  const { status, isDisguised = false } = response
  if (isDisguised) return unseen(`it responds with ${status} to errors too`)
  const isAboutRequest = !isTransient(response) && !isTokenRefused(response)
  return (isAboutRequest ? other : unseen)(`it responds with ${status}`)
}

export const known = (id: AssumptionId, text: string | number, behaviour = String(text)): Entry => {
  const value = parseValue(id, String(text))
  return value === undefined ? other(behaviour) : { value }
}

export const statusOf = (id: AssumptionId, response: TestResponse): Entry => {
  const found = otherStatus(response)
  return found.other === undefined ? found : known(id, response.status, found.other)
}

export type AssumptionResult = Pick<Assumption, 'id' | 'section' | 'question'> & {
  readonly assumed: AssumptionValue
} & (
    | ({ readonly outcome: 'agrees' | 'differs'; readonly found: AssumptionValue } & Pick<Entry, 'upTo' | 'evidence'>)
    | ({
        readonly outcome: 'other'
        readonly found: string
        readonly nearest?: AssumptionValue
      } & Pick<Entry, 'evidence'>)
    | { readonly outcome: 'unseen'; readonly reason: string }
  )

export const assumptionResult = (
  { id, section, question }: Assumption,
  assumed: AssumptionValue,
  { value, other, unseen, ...scope }: Entry,
): AssumptionResult => {
  const row = { id, section, question, assumed }
  if (unseen !== undefined) return { ...row, outcome: 'unseen', reason: unseen }
  if (other !== undefined) return { ...row, outcome: 'other', found: other, ...scope }
  return { ...row, outcome: value === assumed ? 'agrees' : 'differs', found: value, ...scope }
}

export const minRequests = 20

type Limited = readonly boolean[]

export const steadyRate = (limited: Limited): { readonly every: number; readonly earlier: number } | undefined => {
  const numbers = limited.flatMap((isLimited, i) => (isLimited ? [i] : []))
  const [first = 0, second = Number.NaN] = numbers
  const every = second - first
  // Accepts no limit per time window: with such a limit, the number of requests between two 429 responses varies.
  const isSteady =
    every > 1 && first < every && limited.every((isLimited, i) => isLimited === ((i - first) % every === 0))
  return isSteady ? { every, earlier: every - 1 - first } : undefined
}

export const rateFinding = (callers: readonly Limited[], isPartial: boolean): Entry => {
  const most = Math.max(0, ...callers.map(({ length }) => length))
  const limited = callers.filter((one) => one.includes(true))
  if (limited.length === 0)
    return most < minRequests ? unseen(`only ${most} requests of one caller`) : { value: 'none', upTo: most }
  const rates = new Set(limited.map((one) => steadyRate(one)?.every))
  const [every] = rates
  if (rates.size === 1 && every !== undefined && !isPartial)
    return { value: every === 10 ? 'every-tenth' : `every:${every}` }
  const isSingle = limited.every((one) => one.filter(Boolean).length < 2)
  return isPartial || isSingle ? unseen('too few requests get 429') : { other: 'some requests get 429' }
}
