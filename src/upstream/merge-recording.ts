import type { FixturePlant } from '../contract/schemas.ts'

/** What a caller was seen to have: a list, whole or its first plants, or a plant that was added. */
export type Sighting =
  | {
      readonly caller: string
      readonly list: readonly SeenPlant[]
      /** False when the list was as long as its limit: there may be more. */
      readonly isWhole: boolean
    }
  | { readonly caller: string; readonly created: SeenPlant }

/** A list shows no id. */
type SeenPlant = Pick<FixturePlant, 'name' | 'tag' | 'id'>

/**
 * The plants of a recording after one more sighting. Every caller's list is then as it was seen last, in that order;
 * a plant that several callers see at places that agree is one plant.
 */
export const afterSighting = (
  plants: readonly FixturePlant[],
  sighting: Sighting,
  callers: ReadonlySet<string>,
): readonly FixturePlant[] => {
  const { caller } = sighting
  if ('created' in sighting) return [...plants, { ...sighting.created, access: [caller] }]
  const { list, isWhole } = sighting
  return withList(
    plants,
    caller,
    isWhole ? list : [...list, ...notAmong(visibleTo(plants, caller), list)],
    callers,
  )
}

const visibleTo = (plants: readonly FixturePlant[], caller: string): readonly FixturePlant[] =>
  plants.filter((plant) => sees(caller, plant))

const sees = (caller: string, { access }: FixturePlant): boolean =>
  access === undefined || access.includes(caller)

const keyOf = ({ name, tag }: SeenPlant): string => JSON.stringify([name, tag])

const isSame = (plants: readonly SeenPlant[], list: readonly SeenPlant[]): boolean =>
  plants.length === list.length &&
  plants.every(({ name, tag }, i) => name === list[i]?.name && tag === list[i]?.tag)

/** The plants that are left when each of the others is taken out once. */
const notAmong = (plants: readonly FixturePlant[], others: readonly SeenPlant[]): readonly FixturePlant[] => {
  const counts = new Map<string, number>()
  for (const other of others) counts.set(keyOf(other), (counts.get(keyOf(other)) ?? 0) + 1)
  return plants.filter((plant) => {
    const count = counts.get(keyOf(plant)) ?? 0
    if (count > 0) counts.set(keyOf(plant), count - 1)
    return count === 0
  })
}

/** Makes the list of one caller what it is to be; the lists of the others stay. */
const withList = (
  plants: readonly FixturePlant[],
  caller: string,
  list: readonly SeenPlant[],
  callers: ReadonlySet<string>,
): readonly FixturePlant[] => {
  if (isSame(visibleTo(plants, caller), list)) return plants
  const keys = plants.map(keyOf)
  const stays = staying(plants, caller, list)
  const ids = new Ids(list)
  for (const [index, plant] of plants.entries()) if (sees(caller, plant) && !stays.has(index)) ids.give(plant)

  const result: FixturePlant[] = []
  let at = 0
  const copyTo = (end: number): void => {
    for (; at < end; at++) {
      const plant = plants[at]
      if (plant === undefined) continue
      const left = sees(caller, plant) && !stays.has(at) ? without(plant, caller, callers) : plant
      if (left !== undefined) result.push(left)
    }
  }
  /** The first plant from there on that is the same, and that the caller does not see. */
  const hiddenAt = (from: number, key: string): number => {
    let index = from
    while (index !== -1 && sees(caller, plants[index] as FixturePlant)) index = keys.indexOf(key, index + 1)
    return index
  }
  const places = [...stays.keys()].values()
  let next = places.next()
  for (const [position, seen] of list.entries()) {
    const place = next.done ? plants.length : next.value
    if (!next.done && stays.get(place) === position) {
      copyTo(place + 1)
      next = places.next()
      continue
    }
    const shared = hiddenAt(keys.indexOf(keyOf(seen), at), keyOf(seen))
    if (shared === -1 || shared >= place) result.push({ ...ids.take(seen), access: [caller] })
    else {
      copyTo(shared)
      const plant = plants[at++] as FixturePlant
      result.push({ ...plant, access: [...(plant.access ?? []), caller] })
    }
  }
  copyTo(plants.length)
  return result
}

/** Which of the plants that a caller sees stay where they are: their index, and their place in the list. */
const staying = (
  plants: readonly FixturePlant[],
  caller: string,
  list: readonly SeenPlant[],
): ReadonlyMap<number, number> => {
  const stays = new Map<number, number>()
  const keys = list.map(keyOf)
  let position = 0
  for (const [index, plant] of plants.entries()) {
    if (!sees(caller, plant)) continue
    const found = keys.indexOf(keyOf(plant), position)
    if (found === -1) continue
    stays.set(index, found)
    position = found + 1
  }
  return stays
}

/** A plant of which one caller is told no more; `undefined` when nobody is left who sees it. */
const without = (
  plant: FixturePlant,
  caller: string,
  callers: ReadonlySet<string>,
): FixturePlant | undefined => {
  const access = (plant.access ?? [...callers]).filter((other) => other !== caller)
  return access.length === 0 ? undefined : { ...plant, access }
}

/** Plants that come at another place keep the ids that they had. */
class Ids {
  readonly #free = new Map<string, number[]>()
  readonly #wanted: ReadonlySet<string>

  constructor(list: readonly SeenPlant[]) {
    this.#wanted = new Set(list.map(keyOf))
  }

  give(plant: FixturePlant): void {
    const key = keyOf(plant)
    if (plant.id === undefined || !this.#wanted.has(key)) return
    this.#free.set(key, [...(this.#free.get(key) ?? []), plant.id])
  }

  take({ name, tag, id }: SeenPlant): SeenPlant {
    const own = id ?? this.#free.get(keyOf({ name, tag }))?.shift()
    return own === undefined ? { name, tag } : { id: own, name, tag }
  }
}
