import type { AssumptionId } from '../../assumptions/registry.ts'
import type { Caller } from '../../contract/schemas.ts'
import type { Exchange, Reply } from '../../http/exchange.ts'
import type { StoredPlant } from '../../store/plant-store.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import type { Context } from '../context.ts'
import { maxLimit, readLimit } from './limit.ts'

/** `GET /plants` (contract.md, 4.2), for an authenticated caller. */
export const listPlants = (exchange: Exchange, caller: Caller, context: Context): MaybePromise<Reply> => {
  const { assumptions, replies, hidden } = context
  const about = { operation: 'listPlants', caller } as const

  const read = readLimit(exchange.query, assumptions)
  if ('detail' in read) {
    const { detail, assumptions } = read
    return replies.problem(
      'invalid-limit',
      { detail, errors: [{ parameter: 'limit', detail }], assumptions },
      about,
    )
  }
  const { limit } = read
  const unseen = hidden.take(caller)
  // One more than asked for shows whether limit leaves any out.
  return andThen(inOrder(caller, limit + unseen.size + 1, context), (plants) => {
    const seen = unseen.size === 0 ? plants : plants.filter((plant) => !unseen.has(plant))
    const decided = decidedBy(read.assumptions, Math.min(seen.length, limit), limit)
    const say = unseen.size === 0 ? decided : [...decided, 'create.visibility' as const]
    return replies.plants(seen, limit, about, say)
  })
}

const noPlant: readonly AssumptionId[] = ['list.status', 'auth.tokens', 'json.contentType']
const onePlant: readonly AssumptionId[] = [...noPlant, 'json.keyOrder']
const inSomeOrder: readonly AssumptionId[] = [...onePlant, 'list.order']

/** Which assumptions had a say in a list. The order has when several plants are shown, or left out. */
const decidedBy = (
  limitBy: readonly AssumptionId[],
  shown: number,
  limit: number,
): readonly AssumptionId[] => {
  const decided = shown === 0 ? noPlant : shown === 1 && limit > 1 ? onePlant : inSomeOrder
  if (limitBy.length === 0) return decided
  const full = limitBy.includes('list.defaultLimit') && shown >= maxLimit
  return [...limitBy, ...(full ? (['list.maxLimit'] as const) : []), ...decided]
}

/** The first `limit` plants. By name or shuffled, that takes a look at all of them. */
const inOrder = (
  caller: Caller,
  limit: number,
  { store, assumptions, random }: Context,
): MaybePromise<readonly StoredPlant[]> => {
  const order = assumptions['list.order']
  if (order === 'added' || order === 'newest') return store.list(caller, { limit, order })
  const arrange = order === 'name' ? byName : (plants: readonly StoredPlant[]) => shuffle(plants, random)
  return andThen(store.list(caller, { limit: Number.POSITIVE_INFINITY, order: 'added' }), (plants) =>
    arrange(plants).slice(0, limit),
  )
}

const byName = (plants: readonly StoredPlant[]): readonly StoredPlant[] =>
  plants.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))

/** Fisher and Yates. */
const shuffle = (plants: readonly StoredPlant[], random: () => number): readonly StoredPlant[] => {
  const result = [...plants]
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const [a, b] = [result[i], result[j]]
    if (a !== undefined && b !== undefined) [result[i], result[j]] = [b, a]
  }
  return result
}
