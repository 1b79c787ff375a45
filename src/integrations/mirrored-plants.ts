import { asFixture, type Plants, type StoredPlant } from '../core/model/plants.ts'
import { isSamePlant } from '../core/model/rows.ts'
import { changePlants, type State } from '../core/model/state.ts'

/** The fields of a plant that differ between two of its versions, with their values in the later one. */
export const changedFields = (from: StoredPlant, to: StoredPlant): Partial<StoredPlant> =>
  Object.fromEntries(
    (['id', 'name', 'tag', 'access'] as const)
      .filter((name) => textOf(from[name]) !== textOf(to[name]))
      .map((name) => [name, to[name]]),
  )

const textOf = (value: unknown): string => JSON.stringify(value) ?? ''

/** By what a plant is recognized elsewhere than at its position, the most certain first; `undefined` recognizes nothing. */
const traits: readonly ((plant: StoredPlant, position: number) => unknown)[] = [
  (plant) => textOf(asFixture(plant)),
  ({ id }) => id,
  ({ name }, position) => textOf([position, name]),
]

/** For each position in `after`, the position of the same plant in `before`; `undefined` for a new plant. */
export const originsOf = (before: Plants, after: Plants): readonly (number | undefined)[] => {
  const isHere = (position: number) =>
    position < before.length && position < after.length && isSamePlant(before.at(position), after.at(position))
  const origins = Array.from(after, (_, position) => (isHere(position) ? position : undefined))
  const left = new Set(Array.from(before, (_, position) => position).filter((position) => !isHere(position)))
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

/**
 * Changes the plants to those of the records; new ones come last.
 * @param keys The key of the record of each plant. @param records The plants of all records, by key.
 */
export const takeOver = (
  state: State,
  keys: readonly string[],
  records: ReadonlyMap<string, StoredPlant>,
): { readonly state: State; readonly keys: string[] } => {
  const changes = new Map<number, StoredPlant | undefined>()
  for (const [position, key] of keys.entries()) {
    const plant = records.get(key)
    if (plant === undefined || !isSamePlant(state.plants.at(position), plant)) changes.set(position, plant)
  }
  const known = new Set(keys)
  const added = [...records.keys()].filter((key) => !known.has(key))
  const changed = changePlants(state, changes)
  const plants = added.flatMap((key) => records.get(key) ?? [])
  return {
    state: plants.length === 0 ? changed : { ...changed, plants: changed.plants.appendAll(plants) },
    keys: [...keys.filter((key) => records.has(key)), ...added],
  }
}
