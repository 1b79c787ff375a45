import { countIn } from '../assumptions/form.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import { assumptionBehind, type FieldCode, type FieldProblem } from '../contract/problems.ts'

export type ParsedLimit =
  | { readonly limit: number; readonly assumptions: readonly AssumptionId[] }
  | { readonly error: FieldProblem; readonly assumptions: readonly AssumptionId[] }

export type SentLimit = { readonly text: string } & Readonly<
  Record<Assumptions['list.limitFormat'], number | undefined>
>

export const usualMaxLimit = 100

export const maxLimitIn = (
  value: Assumptions['list.maxLimit'],
): { readonly kind: 'clamp' | 'reject'; readonly max: number } | undefined => {
  if (value === 'none') return undefined
  if (value === 'clamp' || value === 'reject') return { kind: value, max: usualMaxLimit }
  return { kind: value.startsWith('clamp') ? 'clamp' : 'reject', max: countIn(value) }
}

/** Returns 100 if the service states no maximum, because the service may still truncate longer lists. */
export const maxLimitOf = (policy: Assumptions): number => maxLimitIn(policy['list.maxLimit'])?.max ?? usualMaxLimit

export const rejectsOverMax = (policy: Assumptions): boolean => maxLimitIn(policy['list.maxLimit'])?.kind === 'reject'

const none: readonly AssumptionId[] = []

export const parseLimit = (values: readonly SentLimit[], policy: Assumptions): ParsedLimit => {
  const [first] = values
  if (first === undefined) return clamp(defaultLimit(policy), ['list.defaultLimit'], policy)
  const repeated = policy['list.repeatedLimit']
  const touched: readonly AssumptionId[] = values.length > 1 ? ['list.repeatedLimit'] : none
  if (values.length > 1 && repeated !== 'first' && repeated !== 'last')
    return invalidLimit(repeated, `it was given ${values.length} times`, touched, policy)
  return parseValue(values.at(repeated === 'last' ? -1 : 0) ?? first, touched, policy)
}

const parseValue = (sent: SentLimit, repeated: readonly AssumptionId[], policy: Assumptions): ParsedLimit => {
  const limit = sent[policy['list.limitFormat']]
  const touched: readonly AssumptionId[] =
    sent.digits === undefined ? [...repeated, 'list.limitFormat', 'list.invalidLimit'] : repeated
  if (limit === undefined) return invalidLimit('same', `it was ${JSON.stringify(sent.text)}`, touched, policy)
  if (limit === 0)
    return policy['list.zeroLimit'] === 'reject'
      ? invalid('too-small', 'limit must be at least 1.', touched)
      : { limit, assumptions: [...touched, 'list.zeroLimit'] }
  if (rejectsOverMax(policy) && limit > maxLimitOf(policy))
    return invalid('too-large', `limit must be at most ${maxLimitOf(policy)}.`, touched)
  return clamp(limit, touched, policy)
}

const invalidLimit = (
  what: 'same' | 'reject' | 'ignore',
  sent: string,
  touched: readonly AssumptionId[],
  policy: Assumptions,
): ParsedLimit => {
  const decidedBy: readonly AssumptionId[] = what === 'same' ? [...touched, 'list.invalidLimit'] : touched
  return (what === 'same' ? policy['list.invalidLimit'] : what) === 'ignore'
    ? clamp(defaultLimit(policy), [...decidedBy, 'list.defaultLimit'], policy)
    : invalid('not-a-number', `limit must be one whole number, 0 or more; ${sent}.`, decidedBy)
}

const invalid = (code: FieldCode, detail: string, touched: readonly AssumptionId[]): ParsedLimit => ({
  error: { code, parameter: 'limit', detail },
  assumptions: [...[assumptionBehind[code] ?? []].flat(), ...touched],
})

export const limitsIn = (query: string): readonly SentLimit[] => {
  if (query === '') return noLimits
  // perf: skips the query parser for a single number (`npm run bench`, GET).
  const plain = /^limit=(\d+)$/.exec(query)?.[1]
  return plain === undefined ? new URLSearchParams(query).getAll('limit').map(sentLimit) : [plainLimit(plain)]
}

const noLimits: readonly SentLimit[] = []

/** Lowers larger numbers to `Number.MAX_VALUE`, because JSON has no Infinity. */
const plainLimit = (text: string): SentLimit => {
  const digits = Math.min(Number(text), Number.MAX_VALUE)
  return { text, digits, number: digits, prefix: digits }
}

const sentLimit = (text: string): SentLimit => {
  if (/^\d+$/.test(text)) return plainLimit(text)
  const number = text.trim() === '' ? undefined : wholeNumber(Number(text))
  return { text, digits: undefined, number, prefix: wholeNumber(Number.parseInt(text, 10)) }
}

const wholeNumber = (number: number): number | undefined =>
  Number.isInteger(number) && number >= 0 ? number : undefined

const defaultLimit = (policy: Assumptions): number =>
  policy['list.defaultLimit'] === 'none' ? Number.POSITIVE_INFINITY : policy['list.defaultLimit']

/** Names no assumption for a request without limit: `model/list.ts` names `list.maxLimit` for a truncated list. */
const clamp = (limit: number, assumptions: readonly AssumptionId[], policy: Assumptions): ParsedLimit => {
  const max = maxLimitOf(policy)
  if (limit <= max) return { limit, assumptions }
  return {
    limit: maxLimitIn(policy['list.maxLimit'])?.kind === 'clamp' ? max : limit,
    assumptions: limit === Number.POSITIVE_INFINITY ? assumptions : [...assumptions, 'list.maxLimit'],
  }
}
