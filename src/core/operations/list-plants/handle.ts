import { andThen, type MaybePromise } from '../../../util/maybe-promise.ts'
import type { AssumptionId } from '../../assumptions/registry.ts'
import type { Caller } from '../../contract/schemas.ts'
import type { StoredPlant } from '../../store/plant-store.ts'
import type { Context, Operation } from '../operation.ts'
import { maxLimitOf, parseLimit } from './limit.ts'
import { arrangements } from './order.ts'

/** Performs `GET /plants` (contract.md, 4.2). */
export const handle: Operation['handle'] = ({ query }, caller, context) => {
  const { assumptions, hidden, json } = context
  const parsed = parseLimit(query, assumptions)
  if ('error' in parsed) {
    const { error } = parsed
    return { problem: 'invalid-limit', detail: error.detail, errors: [error], assumptions: parsed.assumptions }
  }
  const { limit } = parsed
  const excluded = hidden.take(caller)
  // One plant more than requested shows whether limit cuts the list.
  return andThen(listInOrder(caller, { limit, more: excluded.size + 1 }, context), (plants) => {
    const visible = excluded.size === 0 ? plants : plants.filter((plant) => !excluded.has(plant))
    const truncated = visible.length > limit
    const shown = truncated ? limit : visible.length
    const decided = decidedBy(parsed.assumptions, shown, limit, maxLimitOf(assumptions))
    return {
      status: assumptions['list.status'],
      body: json.list(visible, shown),
      truncated,
      assumptions: hidden.hasCreated(caller) ? [...decided, 'create.visibility' as const] : decided,
    }
  })
}

const noPlant: readonly AssumptionId[] = ['list.status', 'auth.tokens', 'rate.limit', 'json.contentType']
const onePlant: readonly AssumptionId[] = [...noPlant, 'json.keyOrder']
const ordered: readonly AssumptionId[] = [...onePlant, 'list.order']

/** The assumptions that decided a list. The order does as soon as several plants are shown, or left out. */
const decidedBy = (
  limitBy: readonly AssumptionId[],
  shown: number,
  limit: number,
  maxLimit: number,
): readonly AssumptionId[] => {
  const decided = shown === 0 ? noPlant : shown === 1 && limit > 1 ? onePlant : ordered
  if (limitBy.length === 0) return decided
  const reachesMax = limitBy.includes('list.defaultLimit') && shown >= maxLimit
  return [...limitBy, ...(reachesMax ? (['list.maxLimit'] as const) : []), ...decided]
}

/** The first `limit` plants, and `more` after them. Sorting and shuffling need all plants first. */
const listInOrder = (
  caller: Caller,
  { limit, more }: { readonly limit: number; readonly more: number },
  { store, assumptions, random }: Context,
): MaybePromise<readonly StoredPlant[]> => {
  const order = assumptions['list.order']
  if (order === 'added' || order === 'newest') return store.list(caller, { limit: limit + more, order })
  const arrange = arrangements[order]
  return andThen(store.list(caller, { limit: Number.POSITIVE_INFINITY, order: 'added' }), (plants) =>
    arrange(plants, random, limit).slice(0, limit + more),
  )
}
