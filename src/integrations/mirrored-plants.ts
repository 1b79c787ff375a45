import type { StateChange } from '../core/mock/cell.ts'
import { asFixture, type Plants, type StoredPlant } from '../core/model/plants.ts'
import { isSamePlant } from '../core/model/rows.ts'
import { changePlants } from '../core/model/state.ts'
import { exactJson } from '../util/exact-json.ts'

export const changedFields = (from: StoredPlant, to: StoredPlant): Partial<StoredPlant> =>
  Object.fromEntries(
    (['id', 'name', 'tag', 'access'] as const)
      .filter((name) => textOf(from[name]) !== textOf(to[name]))
      .map((name) => [name, to[name]]),
  )

const textOf = (value: unknown): string => exactJson(value) ?? ''

/** Lists the most reliable trait first. `undefined` matches nothing. */
const traits: readonly ((plant: StoredPlant, position: number) => unknown)[] = [
  (plant) => textOf(asFixture(plant)),
  ({ id }) => id,
  ({ name }, position) => textOf([position, name]),
]

export const originsOf = (before: Plants, after: Plants): readonly (number | undefined)[] => {
  const isHere = (position: number) =>
    position < before.length && position < after.length && isSamePlant(before.at(position), after.at(position))
  const origins = Array.from({ length: after.length }, (_, position) => (isHere(position) ? position : undefined))
  const left = new Set([...Array(before.length).keys()].filter((position) => !isHere(position)))
  for (const traitOf of traits) {
    const positions = new Map<unknown, number[]>()
    for (const position of left) {
      const trait = traitOf(before.at(position), position)
      const others = positions.get(trait)
      if (others !== undefined) others.push(position)
      else if (trait !== undefined) positions.set(trait, [position])
    }
    for (const [position, origin] of origins.entries()) {
      if (origin !== undefined || left.size === 0) continue
      const found = positions.get(traitOf(after.at(position), position))?.shift()
      if (found === undefined) continue
      origins[position] = found
      left.delete(found)
    }
  }
  return origins
}

/** Makes the plants equal to the records, whose keys have the order of the plants; new plants come last. */
export const changeTo = (
  records: ReadonlyMap<string, StoredPlant>,
  plants: Plants,
  keys: readonly string[],
): { readonly change: StateChange; readonly keys: string[] } => {
  const changed = keys.flatMap((key, position) => {
    const [from, to] = [plants.at(position), records.get(key)]
    return to !== undefined && isSamePlant(from, to) ? [] : { position, from, to }
  })
  const known = new Set(keys)
  const newKeys = [...records.keys()].filter((key) => !known.has(key))
  const added = newKeys.flatMap((key) => records.get(key) ?? [])
  return {
    change(state) {
      const changes = changed.flatMap(({ position, from, to }) => {
        const found = findPlant(state.plants, from, position)
        return found < 0 ? [] : [[found, to && { ...state.plants.at(found), ...changedFields(from, to) }] as const]
      })
      const next = changePlants(state, new Map(changes))
      return added.length === 0 ? next : { ...next, plants: next.plants.appendAll(added) }
    },
    keys: [...keys.filter((key) => records.has(key)), ...newKeys],
  }
}

/** An alternative may have changed the texts, so the same id at `position` also counts. Returns -1 for none. */
const findPlant = (plants: Plants, plant: StoredPlant, position: number): number => {
  const here = position < plants.length ? plants.at(position) : undefined
  if (here !== undefined && isSamePlant(here, plant)) return position
  const found = Array.from(plants).findIndex((other) => isSamePlant(other, plant))
  return found < 0 && plant.id !== undefined && here?.id === plant.id ? position : found
}
