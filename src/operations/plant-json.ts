import type { Assumptions } from '../assumptions/registry.ts'
import type { Plant } from '../contract/schemas.ts'
import type { PlantList } from '../http/exchange.ts'
import type { StoredPlant } from '../store/plant-store.ts'

/** Plants as JSON, alone and in lists. */
export const plantTexts = (
  keyOrder: Assumptions['json.keyOrder'],
): { readonly plantText: PlantText; readonly listOf: ListOf } =>
  keyOrder === 'name-tag'
    ? { plantText: nameFirst, listOf: rememberList(keptText) }
    : { plantText: tagFirst, listOf: rememberList(tagFirst) }

type PlantText = (plant: StoredPlant) => string

/** The first `count` of the plants, and the same as text. */
type ListOf = (plants: readonly StoredPlant[], count: number) => Listed

type Listed = { readonly list: PlantList; readonly body: string }

/** The text of a plant, serialised once in the life of the plant: most of the work of a list. */
const keptText = (plant: StoredPlant): string => {
  plant.json ??= nameFirst(plant)
  return plant.json
}

const nameFirst = ({ name, tag }: Plant): string =>
  `{"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`
const tagFirst = ({ name, tag }: Plant): string =>
  `{"tag":${JSON.stringify(tag)},"name":${JSON.stringify(name)}}`

/** Lists of more plants are not kept as text: together they could be large. */
const mostKept = 100

/** Makes the body of a list. Clients ask again and again for what has not changed, so the last one is kept. */
const rememberList = (text: PlantText): ListOf => {
  let last: Listed | undefined
  return (plants, count) => {
    if (last !== undefined && showsSame(last.list, plants, count)) return last
    const list = new ListBody(plants, count, text)
    const listed = { list, body: list.toString() }
    last = count <= mostKept ? listed : undefined
    return listed
  }
}

const showsSame = (list: PlantList, plants: readonly StoredPlant[], count: number): boolean => {
  if (list.count !== count) return false
  for (let i = 0; i < count; i++) if (list.plants[i] !== plants[i]) return false
  return true
}

/** The first `count` plants as JSON. */
class ListBody implements PlantList {
  readonly plants: readonly StoredPlant[]
  readonly count: number
  readonly #text: PlantText

  constructor(plants: readonly StoredPlant[], count: number, text: PlantText) {
    this.plants = plants
    this.count = count
    this.#text = text
  }

  toString(): string {
    let body = '['
    let left = this.count
    for (const plant of this.plants) {
      if (left-- <= 0) break
      body += body.length === 1 ? this.#text(plant) : `,${this.#text(plant)}`
    }
    return `${body}]`
  }
}
