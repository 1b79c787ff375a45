import type { Assumptions } from '../assumptions/registry.ts'
import type { Plant } from '../contract/schemas.ts'
import type { StoredPlant } from '../store/plant-store.ts'

export type PlantJson = ReturnType<typeof plantJson>

/** Renders plants as JSON, one by one and in lists. */
export const plantJson = (keyOrder: Assumptions['json.keyOrder']) =>
  keyOrder === 'name-tag'
    ? { plant: nameFirst, list: listRenderer(memoizedNameFirst, ['name', 'tag']) }
    : { plant: tagFirst, list: listRenderer(tagFirst, ['tag', 'name']) }

type RenderPlant = (plant: StoredPlant) => string

const nameFirst = ({ name, tag }: Plant): string => JSON.stringify({ name, tag })
const tagFirst = ({ name, tag }: Plant): string => JSON.stringify({ tag, name })

/** perf: serialising plants is most of the work of a list, so each plant keeps its text (`npm run bench`, GET). */
const memoizedNameFirst = (plant: StoredPlant): string => {
  plant.json ??= nameFirst(plant)
  return plant.json
}

/** perf: a longer list is serialised at once, twice as fast; its many plants need not keep their text. */
const maxSeparatePlants = 1_000

/** The text of a longer list is not kept, because it may be large. */
const maxMemoizedPlants = 100

/** perf: clients repeat requests for a list, so its last text is kept, also for the journal (`npm run bench`, GET). */
const listRenderer = (render: RenderPlant, keys: string[]) => {
  let last: { readonly plants: readonly StoredPlant[]; readonly count: number; readonly text: string } | undefined
  /** Renders the first `count` of the plants. */
  return (plants: readonly StoredPlant[], count: number): string => {
    if (last?.count === count && startsWith(plants, last.plants, count)) return last.text
    const text =
      count > maxSeparatePlants ? JSON.stringify(plants.slice(0, count), keys) : renderList(plants, count, render)
    last = count <= maxMemoizedPlants ? { plants, count, text } : undefined
    return text
  }
}

const startsWith = (plants: readonly StoredPlant[], others: readonly StoredPlant[], count: number): boolean => {
  for (let i = 0; i < count; i++) if (plants[i] !== others[i]) return false
  return true
}

const renderList = (plants: readonly StoredPlant[], count: number, render: RenderPlant): string => {
  let body = '['
  for (let i = 0; i < count; i++) {
    const plant = plants[i]
    if (plant === undefined) break
    body += i === 0 ? render(plant) : `,${render(plant)}`
  }
  return `${body}]`
}
