import type { Assumptions } from '../../assumptions/registry.ts'
import type { NewPlant } from '../../contract/schemas.ts'
import { plural } from '../../util/words.ts'
import { agreement, type Find, type Observation, other, otherStatus, outcomeOf, unseen } from '../finding.ts'
import { requireArray, requireCreated } from '../sample-plants.ts'
import { lengthOf, namesOf, refused, succeeded } from '../send-request.ts'
import { listRequest } from '../test-request.ts'

const returned = (plants: number) => other(`it returns ${plural(plants, 'plant')}`)

export const findZeroLimit: Find<Assumptions['list.zeroLimit']> = async ({ client, samples }) => {
  if (client.canCreate) await samples.listUntil((await samples.first()).plant.name)
  const response = await client.send(listRequest('?limit=0'))
  if (lengthOf(response) > 0) return returned(lengthOf(response))
  if (succeeded(response) && lengthOf(await samples.list()) === 0)
    return unseen('there are no plants, so every list is empty')
  return outcomeOf(response, 'empty', 'reject')
}

/** Compares each list with one that has no limit, which shows whether the service ignores an invalid limit. */
export const findInvalidLimit: Find<Assumptions['list.invalidLimit']> = async ({ client }) => {
  const unlimitedLength = async () => lengthOf(await client.send(listRequest()))
  // A plant created just before may be missing from the first list.
  await unlimitedLength()
  const observations: Observation<'ignore' | 'reject'>[] = []
  for (const query of ['limit=-1', 'limit=abc', 'limit=1.5', 'limit=1&limit=2']) {
    const response = await client.send(listRequest(`?${query}`))
    const length = lengthOf(response)
    const isIgnored = succeeded(response) && length === (await unlimitedLength())
    // With one or two plants, the service may have read the query as limit=1 or limit=2.
    if (isIgnored && length < 3) return unseen('there are too few plants to tell')
    observations.push([query, outcomeOf(response, isIgnored ? 'ignore' : returned(length), 'reject')])
  }
  return agreement(observations)
}

export const findMaxLimit: Find<Assumptions['list.maxLimit']> = async ({ client, samples }) => {
  const { aboveMax, minPlants, maxLength } = await samples.fill()
  if (refused(aboveMax))
    return succeeded(await client.send(listRequest('?limit=100'))) ? 'reject' : other('a limit of 100 is refused too')
  if (!succeeded(aboveMax)) return otherStatus(aboveMax)
  const { length } = requireArray(aboveMax)
  if (maxLength === 100) return 'clamp'
  if (maxLength !== undefined) return other(`no list exceeds ${plural(maxLength, 'plant')}`)
  if (length > 101) return other(`limit=101 returns ${plural(length, 'plant')}`)
  return minPlants === 101 ? 'none' : unseen(`only ${plural(minPlants, 'plant')} in the store`)
}

export const findDefaultLimit: Find<Assumptions['list.defaultLimit']> = async ({ client, samples }) => {
  const { minPlants, maxLength } = await samples.fill()
  const response = await client.send(listRequest())
  if (!succeeded(response)) return otherStatus(response)
  const { length } = requireArray(response)
  if (length > 100) return 'none'
  if (length === maxLength) return unseen(`no list exceeds ${plural(length, 'plant')}, with or without a limit`)
  if (length >= minPlants) return unseen(`only ${plural(length, 'plant')} in the store`)
  return ([10, 20, 100] as const).find((limit) => limit === length) ?? returned(length)
}

/** Orders that a list may have, each as a sort of plants in order of creation. */
const orders: Readonly<Record<string, (plants: readonly NewPlant[]) => readonly NewPlant[]>> = {
  added: (plants) => plants,
  newest: (plants) => plants.toReversed(),
  name: (plants) => plants.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  'by id': (plants) => plants.toSorted((a, b) => a.id - b.id),
  'by id, largest first': (plants) => plants.toSorted((a, b) => b.id - a.id),
}
const minPlants = 6
const minListed = 3

const sortedNames = (plants: readonly NewPlant[]): readonly (readonly [order: string, names: string])[] =>
  Object.entries(orders).map(([order, sort]) => [
    order,
    sort(plants)
      .map(({ name }) => name)
      .join(),
  ])

const areOrdersDistinct = (plants: readonly NewPlant[]): boolean =>
  new Set(sortedNames(plants).map(([, names]) => names)).size === Object.keys(orders).length

export const findOrder: Find<Assumptions['list.order']> = async ({ samples }) => {
  const { created } = samples
  while (created.length < minPlants || !areOrdersDistinct(created)) requireCreated(await samples.create())
  const createdNames = created.map(({ name }) => name)
  const listCreated = async () => namesOf(await samples.list()).filter((name) => createdNames.includes(name))
  // A plant created just before may be missing from the first list.
  await samples.list()
  const listed = await listCreated()
  const laterLists = [await listCreated(), await listCreated()]
  if (listed.length < minListed) return unseen('the list shows too few of the created plants')
  if (laterLists.some((names) => names.join() !== listed.join())) return 'shuffled'
  const listedPlants = created.filter(({ name }) => listed.includes(name))
  const matching = sortedNames(listedPlants).flatMap(([order, names]) => (names === listed.join() ? [order] : []))
  const [order, another] = matching
  if (another !== undefined) return unseen(`the listed plants match more than one order: ${matching.join(', ')}`)
  if (order === 'added' || order === 'newest' || order === 'name') return order
  return other(order ?? 'always the same, but in no known order')
}
