import type { Assumptions } from '../../assumptions/registry.ts'
import type { NewPlant } from '../../contract/schemas.ts'
import { type Find, unseen } from '../finding.ts'
import type { SamplePlants } from '../sample-plants.ts'
import { succeeded } from '../send-request.ts'

/** Orders that a list may have, each as a sort of plants in order of creation. The last two are not in the registry. */
const orders = {
  added: (plants: readonly NewPlant[]) => plants,
  newest: (plants: readonly NewPlant[]) => plants.toReversed(),
  name: (plants: readonly NewPlant[]) => plants.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  'by id': (plants: readonly NewPlant[]) => plants.toSorted((a, b) => a.id - b.id),
  'by id, largest first': (plants: readonly NewPlant[]) => plants.toSorted((a, b) => b.id - a.id),
} as const
const orderNames = Object.keys(orders) as readonly (keyof typeof orders)[]
const minPlants = 6
const minListed = 3
const lists = 3

const namesIn = (plants: readonly NewPlant[]): string => plants.map(({ name }) => name).join()

const areDistinct = (plants: readonly NewPlant[]): boolean =>
  new Set(orderNames.map((order) => namesIn(orders[order](plants)))).size === orderNames.length

export const findOrder: Find<Assumptions['list.order']> = async ({ samples }) => {
  const { created } = samples
  while (created.length < minPlants || !areDistinct(created))
    if (!succeeded((await samples.create()).response)) return unseen('no create succeeds')
  const [first = [], ...others] = await listCreated(samples)
  if (first.length < minListed) return unseen('the list shows too few of the created plants')
  if (others.some((names) => names.join() !== first.join())) return { value: 'shuffled' }
  const listed = created.filter(({ name }) => first.includes(name))
  const matching = orderNames.filter((order) => namesIn(orders[order](listed)) === first.join())
  const [order, another] = matching
  if (another !== undefined) return unseen(`the listed plants match more than one order: ${matching.join(', ')}`)
  if (order === 'added' || order === 'newest' || order === 'name') return { value: order }
  return { other: order ?? 'always the same, but in no known order' }
}

/** The names of created plants in several lists, without those of other plants. */
const listCreated = async (samples: SamplePlants): Promise<readonly (readonly string[])[]> => {
  // A plant created just before may be missing from the first list.
  await samples.list()
  const created = new Set(samples.created.map(({ name }) => name))
  const results: (readonly string[])[] = []
  while (results.length < lists) results.push((await samples.list()).names.filter((name) => created.has(name)))
  return results
}
