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
  const isVisible = ({ access }: FixturePlant): boolean => access === undefined || access.includes(caller)
  const visible = plants.filter(isVisible)
  const { list, isWhole } = sighting
  const seen = grouped(list)
  const wanted = isWhole ? list : [...list, ...visible.filter((plant) => !seen.get(keyOf(plant))?.pop())]
  if (visible.map(keyOf).join() === wanted.map(keyOf).join()) return plants

  const others = plants.flatMap((plant): FixturePlant | [] => {
    if (!isVisible(plant)) return plant
    const access = (plant.access ?? [...callers]).filter((other) => other !== caller)
    return access.length === 0 ? [] : { ...plant, access }
  })
  const indexes = grouped(others, (_, index) => index)
  const ids = grouped(
    visible.filter(({ id, access }) => id !== undefined && access?.length === 1),
    ({ id }) => id,
  )
  const result: FixturePlant[] = []
  let copied = 0
  for (const { name, tag, id } of wanted) {
    const key = keyOf({ name, tag })
    const places = indexes.get(key) ?? []
    while ((places.at(-1) ?? copied) < copied) places.pop()
    const place = places.pop()
    if (place === undefined) {
      const kept = id ?? ids.get(key)?.pop()
      result.push({ ...(kept !== undefined && { id: kept }), name, tag, access: [caller] })
    } else {
      for (; copied < place; copied++) result.push(others[copied] as FixturePlant)
      const { access = [], ...shared } = others[place] as FixturePlant
      result.push({ ...shared, access: [...access, caller].sort() })
      copied = place + 1
    }
  }
  return [...result, ...others.slice(copied)]
}

const keyOf = ({ name, tag }: SeenPlant): string => JSON.stringify([name, tag])

/** A value of each plant, by name and tag; `pop` returns that of the first plant. */
const grouped = <Plant extends SeenPlant, Value = Plant>(
  plants: readonly Plant[],
  toValue: (plant: Plant, index: number) => Value = (plant) => plant as unknown as Value,
): ReadonlyMap<string, Value[]> => {
  const groups = new Map<string, Value[]>()
  for (let index = plants.length - 1; index >= 0; index--) {
    const plant = plants[index] as Plant
    const group = groups.get(keyOf(plant)) ?? []
    group.push(toValue(plant, index))
    groups.set(keyOf(plant), group)
  }
  return groups
}
