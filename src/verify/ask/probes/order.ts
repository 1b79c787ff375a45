import type { Assumptions } from '../../../core/assumptions/registry.ts'
import { compareTexts } from '../../../util/text.ts'
import { other, unseen } from '../../read/finding.ts'
import { succeeded } from '../../read/response.ts'
import type { Find } from '../check-context.ts'
import type { Client } from '../client.ts'
import { minuteOf, type SamplePlant } from '../plant-source.ts'
import { requireCreated } from '../sample-creates.ts'
import { requireArray } from '../sample-lists.ts'
import type { Samples } from '../sample-plants.ts'

type Order = Exclude<Assumptions['list.order'], 'shuffled'>

type Compare = (a: SamplePlant, b: SamplePlant) => number

const orders: Readonly<Record<Order, Compare>> = {
  added: (a, b) => a.rank - b.rank,
  newest: (a, b) => b.rank - a.rank,
  name: (a, b) => compareTexts(a.name, b.name),
  'name-ignoring-case': (a, b) => compareTexts(a.name.toLowerCase(), b.name.toLowerCase()),
  id: (a, b) => a.id - b.id,
  'id-descending': (a, b) => b.id - a.id,
}
const orderNames = Object.keys(orders) as readonly Order[]

const minPlants = 6
const minListed = 3
const maxExtra = 20
const unknownOrder = 'always the same, but in no known order'

const ranks = (plants: readonly SamplePlant[]): string => plants.map(({ rank }) => rank).join()

const matching = (listed: readonly SamplePlant[]): readonly Order[] =>
  orderNames.filter((order) => ranks(listed.toSorted(orders[order])) === ranks(listed))

/** Without a match, tries orders by id for the `created` plants alone: plants of changed creates may have no id. */
const ordersOf = (listed: readonly SamplePlant[], { created, recognise }: Samples): readonly Order[] => {
  const found = matching(listed)
  if (found.length > 0) return found
  const withId = common(
    listed,
    created.flatMap((plant) => recognise(plant) ?? []),
  )
  return withId.length < minPlants ? [] : matching(withId).filter((order) => order.startsWith('id'))
}

const areOrdersDistinct = (plants: readonly SamplePlant[]): boolean =>
  new Set(orderNames.map((order) => ranks(plants.toSorted(orders[order])))).size === orderNames.length

const common = (plants: readonly SamplePlant[], others: readonly SamplePlant[]): readonly SamplePlant[] => {
  const shared = new Set(others.map(({ rank }) => rank))
  return plants.filter(({ rank }) => shared.has(rank))
}

const listedSamples = async (samples: Samples): Promise<readonly SamplePlant[]> =>
  oneRunAMinute(requireArray(await samples.list()).flatMap((element) => samples.recognise(element) ?? []))

const oneRunAMinute = (plants: readonly SamplePlant[]): readonly SamplePlant[] => {
  const sizes = new Map<string, number>()
  for (const { run } of plants) sizes.set(run, (sizes.get(run) ?? 0) + 1)
  // Sorted by name first, so that ties do not depend on the order of the list.
  const runs = [...sizes].sort(([a], [b]) => compareTexts(a, b)).sort(([, a], [, b]) => a - b)
  const kept = new Map(runs.map(([run]) => [minuteOf(run), run]))
  return plants.filter(({ run }) => kept.get(minuteOf(run)) === run)
}

/** Finds the order from listed sample plants. A full list may show only plants of earlier checks. */
export const findOrder: Find<Assumptions['list.order']> = async ({ client, samples }) => {
  for (let extra = 0; client.canCreate && needsMore(samples) && extra < maxExtra; extra++)
    requireCreated(await samples.create())
  const newest = samples.created.at(-1)
  // A plant created just before may be missing from the next lists.
  if (newest !== undefined) await samples.listUntil(newest)
  const listed = await listedSamples(samples)
  const laterLists = [await listedSamples(samples), await listedSamples(samples)]
  if (listed.length < minListed) return unseen('the list shows too few of the created plants')
  // A plant that was added or hidden meanwhile is not a change of order.
  if (laterLists.some((later) => ranks(common(later, listed)) !== ranks(common(listed, later)))) return 'shuffled'
  // If lists show different plants each time, they share too few plants to compare their order.
  if (laterLists.some((later) => common(listed, later).length < minListed))
    return unseen('the lists have too few of the created plants in common')
  const [order, another] = ordersOf(listed, samples)
  if (order === undefined) return other(unknownOrder)
  if (another !== undefined) return unseen('the listed plants are in more than one order')
  if (client.canCreate && !(await staysAfterSecond(client, samples, order, listed))) return other(unknownOrder)
  return order
}

/** In milliseconds. With timestamps in whole seconds, a secondary key decides the order within a second. */
const second = 1_100

/** Whether a plant created in a later second is in order too. Plants of earlier checks already show that. */
const staysAfterSecond = async (
  client: Client,
  samples: Samples,
  order: Order,
  listed: readonly SamplePlant[],
): Promise<boolean> => {
  if (new Set(listed.map(({ run }) => run)).size > 1) return true
  await client.options.wait(second)
  const creation = await samples.create()
  if (!succeeded(creation)) return true
  await samples.listUntil(creation.plant)
  return ordersOf(await listedSamples(samples), samples).includes(order)
}

const needsMore = ({ created, recognise }: Samples): boolean =>
  created.length < minPlants || !areOrdersDistinct(created.flatMap((plant) => recognise(plant) ?? []))
