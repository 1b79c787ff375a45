import type { Assumptions } from '../../assumptions/registry.ts'
import type { StoredPlant } from '../../store/plant-store.ts'
import { compareTexts } from '../../util/compare-texts.ts'

type Arrange = (plants: readonly StoredPlant[], random: () => number) => readonly StoredPlant[]

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

/** Fisher–Yates. */
const shuffle: Arrange = (plants, random) => {
  const result = [...plants]
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const [a, b] = [result[i], result[j]]
    if (a !== undefined && b !== undefined) [result[i], result[j]] = [b, a]
  }
  return result
}

/** The orders of `list.order` that need all plants. */
export const arrangements: Readonly<Record<Exclude<Assumptions['list.order'], 'added' | 'newest'>, Arrange>> = {
  name: sort((a, b) => compareTexts(a.name, b.name)),
  'name-ignoring-case': sort((a, b) => compareTexts(a.name.toLowerCase(), b.name.toLowerCase())),
  id: sort(byId(1)),
  'id-descending': sort(byId(-1)),
  shuffled: shuffle,
}
