import type { Assumptions } from '../assumptions/registry.ts'
import type { Plant } from '../contract/schemas.ts'
import type { LazyBody } from '../http/reply.ts'
import type { StoredPlant } from '../store/plant-store.ts'

/** Renders plants as JSON, one by one and in lists. */
export type PlantJson = {
  readonly plant: (plant: StoredPlant) => string
  /** The first `count` of the plants. */
  readonly list: (plants: readonly StoredPlant[], count: number) => RenderedList
}

export type RenderedList = { readonly list: LazyBody; readonly body: string }

export const plantJson = (keyOrder: Assumptions['json.keyOrder']): PlantJson =>
  keyOrder === 'name-tag'
    ? { plant: nameFirst, list: listRenderer(memoizedNameFirst) }
    : { plant: tagFirst, list: listRenderer(tagFirst) }

type RenderPlant = PlantJson['plant']

const nameFirst = ({ name, tag }: Plant): string => `{"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`
const tagFirst = ({ name, tag }: Plant): string => `{"tag":${JSON.stringify(tag)},"name":${JSON.stringify(name)}}`

/** perf: serialising plants is most of the work of a list, so each plant keeps its text (`npm run bench`, GET). */
const memoizedNameFirst = (plant: StoredPlant): string => {
  plant.json ??= nameFirst(plant)
  return plant.json
}

/** The text of a longer list is not kept, because it may be large. */
const maxMemoizedPlants = 100

/** perf: clients often request an unchanged list again, so the last one is kept as text (`npm run bench`, GET). */
const listRenderer = (render: RenderPlant): PlantJson['list'] => {
  let last: (RenderedList & { readonly list: ListBody }) | undefined
  return (plants, count) => {
    if (last?.list.hasSame(plants, count)) return last
    const list = new ListBody(plants, count, render)
    const rendered = { list, body: list.toString() }
    last = count <= maxMemoizedPlants ? rendered : undefined
    return rendered
  }
}

const bytesPerReference = 8

/** The first `count` plants as a JSON array. Plants are immutable, so it renders the same text each time. */
class ListBody implements LazyBody {
  readonly #plants: readonly StoredPlant[]
  readonly #count: number
  readonly #render: RenderPlant

  constructor(plants: readonly StoredPlant[], count: number, render: RenderPlant) {
    this.#plants = plants
    this.#count = count
    this.#render = render
  }

  get weight(): number {
    return this.#plants.length * bytesPerReference
  }

  hasSame(plants: readonly StoredPlant[], count: number): boolean {
    if (this.#count !== count) return false
    for (let i = 0; i < count; i++) if (this.#plants[i] !== plants[i]) return false
    return true
  }

  toString(): string {
    let body = '['
    for (let i = 0; i < this.#count; i++) {
      const plant = this.#plants[i]
      if (plant === undefined) break
      body += i === 0 ? this.#render(plant) : `,${this.#render(plant)}`
    }
    return `${body}]`
  }
}
