import type { Pseudonym } from '../../core/contract/caller.ts'
import type { FixturePlant } from '../../core/contract/schemas.ts'

/** Evidence of a caller's plants: a list, complete or cut at its limit, or a created plant. */
export type RecordedSighting =
  | {
      readonly caller: Pseudonym
      readonly list: readonly SeenPlant[]
      /** False when the list may have been cut: more plants may follow. */
      readonly isWhole: boolean
    }
  | { readonly caller: Pseudonym; readonly created: SeenPlant }

/** Lists show no id. */
type SeenPlant = Pick<FixturePlant, 'name' | 'tag' | 'id'>

/**
 * Merges a sighting into a recording. Afterwards, the list of every caller is the one seen last, in its order; equal
 * plants of several callers are one plant where the orders of their lists permit.
 * @param callers All callers of the recording, for plants that every caller may access.
 */
export const mergeSighting = (
  plants: readonly FixturePlant[],
  sighting: RecordedSighting,
  callers: ReadonlySet<string>,
): readonly FixturePlant[] => {
  const { caller } = sighting
  if ('created' in sighting) return [...plants, { ...sighting.created, access: [caller] }]
  const { list, isWhole } = sighting
  const visible = plants.filter((plant) => mayAccess(caller, plant))
  const wanted = isWhole ? list : [...list, ...without(visible, list)]
  return isSameList(visible, wanted) ? plants : withList(plants, caller, wanted, callers)
}

const mayAccess = (caller: string, { access }: FixturePlant): boolean => access === undefined || access.includes(caller)

const keyOf = ({ name, tag }: SeenPlant): string => JSON.stringify([name, tag])

const isSameList = (plants: readonly SeenPlant[], list: readonly SeenPlant[]): boolean =>
  plants.map(keyOf).join() === list.map(keyOf).join()

/** The plants that remain when each of `removed` is removed once. */
const without = (plants: readonly FixturePlant[], removed: readonly SeenPlant[]): readonly FixturePlant[] => {
  const counts = new Map<string, number>()
  for (const plant of removed) counts.set(keyOf(plant), (counts.get(keyOf(plant)) ?? 0) + 1)
  return plants.filter((plant) => {
    const count = counts.get(keyOf(plant)) ?? 0
    if (count > 0) counts.set(keyOf(plant), count - 1)
    return count === 0
  })
}

/** Replaces the list of one caller; the lists of the others stay as they are. */
const withList = (
  plants: readonly FixturePlant[],
  caller: string,
  list: readonly SeenPlant[],
  callers: ReadonlySet<string>,
): readonly FixturePlant[] => {
  const indexOf = finder(plants)
  const staying = stayingPlants(plants, caller, list)
  const isLeaving = (index: number): boolean => mayAccess(caller, plants[index] as FixturePlant) && !staying.has(index)
  const ids = new ReusableIds()
  for (const [index, plant] of plants.entries()) if (isLeaving(index)) ids.release(plant)

  const result: FixturePlant[] = []
  let copied = 0
  const copyUntil = (end: number): void => {
    for (; copied < end; copied++) {
      const plant = plants[copied] as FixturePlant
      const kept = isLeaving(copied) ? withoutAccess(plant, caller, callers) : plant
      if (kept !== undefined) result.push(kept)
    }
  }

  const places = staying.keys()
  let next = places.next()
  for (const [position, seen] of list.entries()) {
    const place = next.done ? plants.length : next.value
    if (!next.done && staying.get(place) === position) {
      copyUntil(place + 1)
      next = places.next()
      continue
    }
    // An equal plant of this caller would stay, so one before the next place that stays belongs to others.
    const shared = indexOf(seen, copied)
    if (shared === -1 || shared >= place) result.push({ ...ids.reuse(seen), access: [caller] })
    else {
      copyUntil(shared)
      const plant = plants[copied++] as FixturePlant
      result.push({ ...plant, access: [...(plant.access ?? []), caller] })
    }
  }
  copyUntil(plants.length)
  return result
}

/**
 * Finds the next equal plant from an index on, -1 for none, in a list that is searched from ever larger indexes: so all
 * searches together read the list once.
 */
const finder = (list: readonly SeenPlant[]): ((plant: SeenPlant, from: number) => number) => {
  const indexes = new Map<string, number[]>()
  for (let index = list.length - 1; index >= 0; index--) {
    const key = keyOf(list[index] as SeenPlant)
    const known = indexes.get(key)
    if (known === undefined) indexes.set(key, [index])
    else known.push(index)
  }
  return (plant, from) => {
    const rest = indexes.get(keyOf(plant)) ?? []
    while ((rest.at(-1) ?? from) < from) rest.pop()
    return rest.at(-1) ?? -1
  }
}

/** The caller's plants that stay where they are: their index in the recording, with their position in the list. */
const stayingPlants = (
  plants: readonly FixturePlant[],
  caller: string,
  list: readonly SeenPlant[],
): ReadonlyMap<number, number> => {
  const staying = new Map<number, number>()
  const indexOf = finder(list)
  let position = 0
  for (const [index, plant] of plants.entries()) {
    if (!mayAccess(caller, plant)) continue
    const found = indexOf(plant, position)
    if (found === -1) continue
    staying.set(index, found)
    position = found + 1
  }
  return staying
}

/** A plant that one caller may no longer access; `undefined` when nobody else may. */
const withoutAccess = (plant: FixturePlant, caller: string, callers: ReadonlySet<string>): FixturePlant | undefined => {
  const access = (plant.access ?? [...callers]).filter((other) => other !== caller)
  return access.length === 0 ? undefined : { ...plant, access }
}

/** Ids of plants that leave their place, for equal plants that appear elsewhere. */
class ReusableIds {
  readonly #released = new Map<string, number[]>()

  release(plant: FixturePlant): void {
    const key = keyOf(plant)
    if (plant.id === undefined) return
    const known = this.#released.get(key)
    if (known === undefined) this.#released.set(key, [plant.id])
    else known.push(plant.id)
  }

  reuse({ name, tag, id }: SeenPlant): SeenPlant {
    const reused = id ?? this.#released.get(keyOf({ name, tag }))?.shift()
    return reused === undefined ? { name, tag } : { id: reused, name, tag }
  }
}
