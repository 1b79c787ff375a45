import type { Assumptions } from '../../core/assumptions/registry.ts'
import { isShownPlant } from '../../core/contract/schemas.ts'
import { isJsonObject } from '../../util/json.ts'
import { type Item, keyOf, parts } from '../read/replay.ts'
import { elementsOf, succeeded } from '../read/response.ts'
import { isCreate, isList } from '../read/test-request.ts'

type Order = Assumptions['list.order']

/** A listed plant, with `rank` and `id` if they are certain. Initial plants have the rank 0. */
type Ranked = { readonly name: string; readonly rank?: number | undefined; readonly id?: number | undefined }

/** Whether the known values ascend. */
const isSorted = (values: readonly (number | string | undefined)[]): boolean => {
  const known = values.filter((value) => value !== undefined)
  return known.every((value, i) => i === 0 || (known[i - 1] ?? value) <= value)
}

const fits: Readonly<Record<Exclude<Order, 'shuffled'>, (plants: readonly Ranked[]) => boolean>> = {
  added: (plants) => isSorted(plants.map(({ rank }) => rank)),
  newest: (plants) => isSorted(plants.map(({ rank }) => rank).reverse()),
  id: (plants) => isSorted(plants.map(({ id }) => id)),
  'id-descending': (plants) => isSorted(plants.map(({ id }) => id).reverse()),
  name: (plants) => isSorted(plants.map(({ name }) => name)),
  'name-ignoring-case': (plants) => isSorted(plants.map(({ name }) => name.toLowerCase())),
}

/** Excludes `shuffled` if shuffled lists would look sorted in fewer than one of this number of recordings. */
const minChance = 100

/**
 * The orders that no list contradicts. Compares only the listed plants with each other, so hidden plants and unknown
 * ids do not matter.
 */
export const permittedOrders = (items: readonly Item[]): readonly Order[] => {
  const known = new Map<string, Omit<Ranked, 'name'>>()
  const creators = new Set<string | undefined>()
  const ids = new Set<unknown>()
  const permitted = new Set(Object.keys(fits) as (keyof typeof fits)[])
  let chance = 1
  for (const [i, { request, seen, caller, ignored }] of items.entries()) {
    const placeOf = (plant: Parameters<typeof keyOf>[0]): string => `${caller} ${keyOf(plant)}`
    if (isCreate(request)) {
      creators.add(caller)
      const sent = isJsonObject(request.json) ? request.json : {}
      const plant = isShownPlant(seen.json) ? seen.json : isShownPlant(request.json) ? request.json : undefined
      if (!succeeded(seen) || plant === undefined) continue
      const isUnique = !known.has(placeOf(plant)) && !ids.has(sent.id)
      known.set(placeOf(plant), isUnique ? { rank: i + 1, id: typeof sent.id === 'number' ? sent.id : undefined } : {})
      ids.add(sent.id)
    } else if (isList(request) && succeeded(seen) && !(ignored & parts.body)) {
      const plants = elementsOf(seen).filter(isShownPlant)
      const counts = new Map<string, number>()
      for (const plant of plants) counts.set(placeOf(plant), (counts.get(placeOf(plant)) ?? 0) + 1)
      for (const place of counts.keys())
        if (!known.has(place)) known.set(place, creators.has(caller) ? {} : { rank: 0 })
      const ranked = plants.map((plant) => ({
        name: plant.name,
        ...(counts.get(placeOf(plant)) === 1 && known.get(placeOf(plant))),
      }))
      for (const order of permitted) if (!fits[order](ranked)) permitted.delete(order)
      const ranks = ranked.flatMap(({ rank }) => rank ?? [])
      const atStart = ranks.filter((rank) => rank === 0).length
      for (let count = atStart + 1; count <= ranks.length; count++) chance *= count
    }
  }
  return chance > minChance ? [...permitted] : [...permitted, 'shuffled']
}
