import type { AssumptionId, Assumptions } from '../../assumptions/registry.ts'
import { assumptionBehind, type FieldCode, type FieldProblem } from '../../contract/problems.ts'

export type ParsedLimit =
  | { readonly limit: number; readonly assumptions: readonly AssumptionId[] }
  | { readonly error: FieldProblem; readonly assumptions: readonly AssumptionId[] }

type Policy = Pick<Assumptions, 'list.defaultLimit' | 'list.maxLimit' | 'list.zeroLimit' | 'list.invalidLimit'>

/** The largest limit where `list.maxLimit` sets one. */
export const maxLimit = 100

const none: readonly AssumptionId[] = []

/** Parses how many plants a list may return, from the query as sent (contract.md, 4.2 and 8). */
export const parseLimit = (query: string, policy: Policy): ParsedLimit => {
  const values = limitsIn(query)
  if (values.length === 0) return clamp(defaultLimit(policy), ['list.defaultLimit'], policy)
  const [text = ''] = values
  if (values.length > 1 || !/^\d+$/.test(text)) {
    if (policy['list.invalidLimit'] === 'ignore')
      return clamp(defaultLimit(policy), ['list.invalidLimit', 'list.defaultLimit'], policy)
    const sent = values.length > 1 ? `it was given ${values.length} times` : `it was ${JSON.stringify(text)}`
    return invalid('not-a-number', `limit must be one whole number, 0 or more; ${sent}.`)
  }
  const limit = Number(text)
  if (limit === 0)
    return policy['list.zeroLimit'] === 'reject'
      ? invalid('too-small', 'limit must be at least 1.')
      : { limit, assumptions: ['list.zeroLimit'] }
  if (limit > maxLimit && policy['list.maxLimit'] === 'reject')
    return invalid('too-large', `limit must be at most ${maxLimit}.`)
  return clamp(limit, none, policy)
}

const invalid = (code: FieldCode, detail: string): ParsedLimit => ({
  error: { code, parameter: 'limit', detail },
  assumptions: [assumptionBehind[code] ?? []].flat(),
})

const limitsIn = (query: string): readonly string[] => {
  if (query === '') return none
  // perf: a single number, the usual form, needs no parser (`npm run bench`, GET).
  const plain = /^limit=(\d+)$/.exec(query)?.[1]
  return plain === undefined ? new URLSearchParams(query).getAll('limit') : [plain]
}

const defaultLimit = (policy: Policy): number =>
  policy['list.defaultLimit'] === 'none' ? Number.POSITIVE_INFINITY : policy['list.defaultLimit']

/** Applies `list.maxLimit`. Without a limit, the maximum decides only when that many plants exist. */
const clamp = (limit: number, assumptions: readonly AssumptionId[], policy: Policy): ParsedLimit => {
  if (limit <= maxLimit) return { limit, assumptions }
  return {
    limit: policy['list.maxLimit'] === 'clamp' ? maxLimit : limit,
    assumptions: limit === Number.POSITIVE_INFINITY ? assumptions : [...assumptions, 'list.maxLimit'],
  }
}
