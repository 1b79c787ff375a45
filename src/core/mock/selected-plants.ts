import type { Caller, FixturePlant } from '../contract/schemas.ts'
import type { StoredPlant } from '../store/plant-store.ts'

/**
 * Selects the plants that are equal to the given ones, each as often as it is listed: a single one of several equal plants
 * can be selected.
 * @param shown How callers are named in the given plants.
 */
export const equalTo = (
  plants: Iterable<FixturePlant>,
  shown: (access: readonly Caller[]) => readonly string[],
): ((plant: StoredPlant | FixturePlant) => boolean) => {
  const counts = new Map<string, number>()
  for (const plant of plants) {
    const text = textOf(plant, (access) => access)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return (plant) => {
    const text = textOf(plant, shown)
    const count = counts.get(text) ?? 0
    if (count > 0) counts.set(text, count - 1)
    return count > 0
  }
}

const textOf = (
  { id, name, tag, access }: StoredPlant | FixturePlant,
  shown: (access: readonly Caller[]) => readonly string[],
): string => JSON.stringify([id, name, tag, access && [...new Set(shown(access))].sort()])
