import type { Entry } from '../../core/assumptions/file.ts'
import { plural } from '../../util/words.ts'
import type { Item } from '../read/replay.ts'
import { minRequests } from '../read/seen.ts'
import { isOperation } from '../read/test-request.ts'
import type { PlaceOf } from './source.ts'

/** Derives `rate.limit` from distances between requests with 429. @param isPartial Whether requests are missing. */
export const rateIn = (items: readonly Item[], isPartial: boolean) => {
  const own = items.filter(({ caller, request }) => caller !== undefined && isOperation(request))
  // A service may refuse a scheme other than Bearer before it counts the request.
  const exact = own.filter(({ request }) => request.scheme === 'Bearer')
  const { distances, offsets, most } = [own, exact].map(countsIn).find(({ isSteady }) => isSteady) ?? countsIn(own)
  const [every = 0] = distances
  const value = isSteady(distances) ? (every === 10 ? 'every-tenth' : (`every:${every}` as const)) : undefined
  const limited = own.filter(({ seen }) => seen.status === 429)
  const entry = (placeOf: PlaceOf): Entry => {
    const place = placeOf(limited.map((item) => item.place))
    if (value !== undefined) return { value, place }
    const seen = `${plural(limited.length, 'request')} of ${own.length} get 429`
    if (limited.length > 0)
      return distances.length > 1 && !isPartial ? { other: seen, place } : { unseen: `only ${seen}` }
    if (most < minRequests) return { unseen: `only ${plural(most, 'request')} of one caller` }
    return {
      value: 'none',
      evidence: `${plural(most, 'request')} of one caller`,
      place: placeOf(own.map((item) => item.place)),
    }
  }
  return { value, entry, counted: new Map(value === undefined ? [] : offsets) }
}

const isSteady = (distances: readonly number[]): boolean =>
  distances.length > 1 && (distances[0] ?? 0) > 1 && distances.every((one) => one === distances[0])

/**
 * The distances between a caller's requests that get 429. `offsets`: how many requests each caller had sent before the
 * recording, if the distances are constant.
 */
const countsIn = (counted: readonly Item[]) => {
  const numbers = new Map<string, number[]>()
  const totals = new Map<string, number>()
  for (const { caller = '', seen } of counted) {
    totals.set(caller, (totals.get(caller) ?? 0) + 1)
    if (seen.status === 429) numbers.set(caller, [...(numbers.get(caller) ?? []), totals.get(caller) ?? 0])
  }
  const distances = [...numbers.values()].flatMap((all) => all.slice(1).map((one, i) => one - (all[i] ?? 0)))
  const [every = 1] = distances
  const offsets = [...numbers].map(([caller, [first = 0]]) => [caller, (every - (first % every)) % every] as const)
  return { distances, offsets, most: Math.max(0, ...totals.values()), isSteady: isSteady(distances) }
}
