import { compareTexts } from '../../../util/text.ts'
import type { Assumptions } from '../../assumptions/registry.ts'
import type { StoredPlant } from '../../store/plant-store.ts'

/** @param shown How many of the plants the list will show. */
type Arrange = (plants: readonly StoredPlant[], random: () => number, shown: number) => readonly StoredPlant[]

type Compare = (a: StoredPlant, b: StoredPlant) => number

/** Stable, so plants that compare equal stay in the order in which they were added. */
const sort =
  (compare: Compare): Arrange =>
  (plants) =>
    plants.toSorted(compare)

/** Plants without an id come last. */
const byId =
  (direction: 1 | -1): Compare =>
  ({ id: a }, { id: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return direction * (a - b)
  }

/** Fisher–Yates. If the list would look as if the plants were in the order as added, another plant comes first. */
const shuffle: Arrange = (plants, random, shown) => {
  const result = [...plants]
  for (let i = result.length - 1; i > 0; i--) swap(result, i, Math.floor(random() * (i + 1)))
  const looksAsAdded = plants.every((plant, i) => i >= shown || looksEqual(plant, result[i]))
  const other = result.findIndex((plant) => !looksEqual(plant, result[0]))
  if (looksAsAdded && other !== -1) swap(result, 0, other)
  return result
}

const swap = (plants: StoredPlant[], i: number, j: number): void => {
  const [a, b] = [plants[i], plants[j]]
  if (a !== undefined && b !== undefined) [plants[i], plants[j]] = [b, a]
}

/** A list shows names and tags alone. */
const looksEqual = (a: StoredPlant, b: StoredPlant | undefined): boolean => a.name === b?.name && a.tag === b.tag

/** The orders of `list.order` that need all plants. */
export const arrangements: Readonly<Record<Exclude<Assumptions['list.order'], 'added' | 'newest'>, Arrange>> = {
  name: sort((a, b) => compareTexts(a.name, b.name)),
  'name-ignoring-case': sort((a, b) => compareTexts(a.name.toLowerCase(), b.name.toLowerCase())),
  id: sort(byId(1)),
  'id-descending': sort(byId(-1)),
  shuffled: shuffle,
}
