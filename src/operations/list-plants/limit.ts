import type { AssumptionId, Assumptions } from '../../assumptions/registry.ts'

export type Limit =
  | { readonly limit: number; readonly assumptions: readonly AssumptionId[] }
  | { readonly detail: string; readonly assumptions: readonly AssumptionId[] }

type Policy = Pick<
  Assumptions,
  'list.defaultLimit' | 'list.maxLimit' | 'list.zeroLimit' | 'list.invalidLimit'
>

/** The largest limit where `list.maxLimit` sets one. */
export const maxLimit = 100

const byItself: readonly AssumptionId[] = []

/** Finds out how many plants a list may return, from the query as sent (contract.md, 4.2 and 8). */
export const readLimit = (query: string, policy: Policy): Limit => {
  const given = limitsIn(query)
  if (given.length === 0) return clamp(defaultLimit(policy), ['list.defaultLimit'], policy)
  const [text = ''] = given
  if (given.length > 1 || !/^\d+$/.test(text)) {
    if (policy['list.invalidLimit'] === 'ignore')
      return clamp(defaultLimit(policy), ['list.invalidLimit', 'list.defaultLimit'], policy)
    const seen = given.length > 1 ? `it was given ${given.length} times` : `it was ${JSON.stringify(text)}`
    return {
      detail: `limit must be one whole number, 0 or more; ${seen}.`,
      assumptions: ['list.invalidLimit'],
    }
  }
  const limit = Number(text)
  if (limit === 0)
    return policy['list.zeroLimit'] === 'reject'
      ? { detail: 'limit must be at least 1.', assumptions: ['list.zeroLimit'] }
      : { limit, assumptions: ['list.zeroLimit'] }
  if (limit > maxLimit && policy['list.maxLimit'] === 'reject')
    return { detail: `limit must be at most ${maxLimit}.`, assumptions: ['list.maxLimit'] }
  return clamp(limit, byItself, policy)
}

/** Every `limit` in a query. The plain forms, no query and a single number, need no parser. */
const limitsIn = (query: string): readonly string[] => {
  if (query === '') return []
  const plain = /^limit=(\d+)$/.exec(query)?.[1]
  return plain === undefined ? new URLSearchParams(query).getAll('limit') : [plain]
}

const defaultLimit = (policy: Policy): number =>
  policy['list.defaultLimit'] === 'none' ? Number.POSITIVE_INFINITY : policy['list.defaultLimit']

/** A limit over the maximum. Without a limit, the maximum has a say only when so many plants are there. */
const clamp = (limit: number, assumptions: readonly AssumptionId[], policy: Policy): Limit => {
  if (limit <= maxLimit) return { limit, assumptions }
  return {
    limit: policy['list.maxLimit'] === 'clamp' ? maxLimit : limit,
    assumptions: limit === Number.POSITIVE_INFINITY ? assumptions : [...assumptions, 'list.maxLimit'],
  }
}
