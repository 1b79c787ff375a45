import { maxLimitIn, usualMaxLimit } from '../assumptions/max-limit.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import { assumptionBehind, type FieldCode, type FieldProblem } from '../contract/problems.ts'

export type ParsedLimit =
  | { readonly limit: number; readonly assumptions: readonly AssumptionId[] }
  | { readonly error: FieldProblem; readonly assumptions: readonly AssumptionId[] }

/** The number that `list.maxLimit` sets; where it sets none, the one from which on another service may differ. */
export const maxLimitOf = (policy: Assumptions): number => maxLimitIn(policy['list.maxLimit'])?.max ?? usualMaxLimit

export const rejectsOverMax = (policy: Assumptions): boolean => maxLimitIn(policy['list.maxLimit'])?.kind === 'reject'

const none: readonly AssumptionId[] = []

/** Parses how many plants a list may return, from the query as sent (contract.md, 4.2 and 8). */
export const parseLimit = (query: string, policy: Assumptions): ParsedLimit => {
  const values = limitsIn(query)
  if (values.length === 0) return clamp(defaultLimit(policy), ['list.defaultLimit'], policy)
  const repeated = policy['list.repeatedLimit']
  const touched: readonly AssumptionId[] = values.length > 1 ? ['list.repeatedLimit'] : none
  if (values.length > 1 && repeated !== 'first' && repeated !== 'last')
    return invalidLimit(repeated, `it was given ${values.length} times`, touched, policy)
  return parseValue(values.at(repeated === 'last' ? -1 : 0) ?? '', touched, policy)
}

const parseValue = (text: string, repeated: readonly AssumptionId[], policy: Assumptions): ParsedLimit => {
  const limit = numberIn(text, policy['list.limitFormat'])
  const touched: readonly AssumptionId[] = isPlain(text)
    ? repeated
    : [...repeated, 'list.limitFormat', 'list.invalidLimit']
  if (limit === undefined) return invalidLimit('same', `it was ${JSON.stringify(text)}`, touched, policy)
  if (limit === 0)
    return policy['list.zeroLimit'] === 'reject'
      ? invalid('too-small', 'limit must be at least 1.', touched)
      : { limit, assumptions: [...touched, 'list.zeroLimit'] }
  if (rejectsOverMax(policy) && limit > maxLimitOf(policy))
    return invalid('too-large', `limit must be at most ${maxLimitOf(policy)}.`, touched)
  return clamp(limit, touched, policy)
}

const isPlain = (text: string): boolean => /^\d+$/.test(text)

/** The whole number that a text stands for; `undefined` for a text that is none, or negative. */
const numberIn = (text: string, format: Assumptions['list.limitFormat']): number | undefined => {
  if (isPlain(text)) return Number(text)
  if (format === 'digits' || text.trim() === '') return undefined
  const number = format === 'prefix' ? Number.parseInt(text, 10) : Number(text)
  return Number.isInteger(number) && number >= 0 ? number : undefined
}

/** A limit that is no whole number, or is repeated. @param what What becomes of it; `same` as `list.invalidLimit`. */
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

const limitsIn = (query: string): readonly string[] => {
  if (query === '') return none
  // perf: the usual form, a single number, needs no parser (GET).
  const plain = /^limit=(\d+)$/.exec(query)?.[1]
  return plain === undefined ? new URLSearchParams(query).getAll('limit') : [plain]
}

const defaultLimit = (policy: Assumptions): number =>
  policy['list.defaultLimit'] === 'none' ? Number.POSITIVE_INFINITY : policy['list.defaultLimit']

/** Applies `list.maxLimit`. Without a limit, the maximum decides only when that many plants exist. */
const clamp = (limit: number, assumptions: readonly AssumptionId[], policy: Assumptions): ParsedLimit => {
  const max = maxLimitOf(policy)
  if (limit <= max) return { limit, assumptions }
  return {
    limit: maxLimitIn(policy['list.maxLimit'])?.kind === 'clamp' ? max : limit,
    assumptions: limit === Number.POSITIVE_INFINITY ? assumptions : [...assumptions, 'list.maxLimit'],
  }
}
