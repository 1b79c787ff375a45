import { randomSource } from '../../util/random.ts'
import { compareTexts } from '../../util/text.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Plants, StoredPlant } from './plants.ts'

type Positioned = StoredPlant & { readonly position: number }
type Compare = (a: Positioned, b: Positioned) => number

const byId =
  (direction: 1 | -1): Compare =>
  ({ id: a }, { id: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return direction * (a < b ? -1 : a > b ? 1 : 0)
  }

type Order = Assumptions['list.order']

const comparisons: Readonly<Record<Exclude<Order, 'added' | 'newest' | 'shuffled'>, Compare>> = {
  name: (a, b) => compareTexts(a.name, b.name),
  'name-ignoring-case': (a, b) => compareTexts(a.name.toLowerCase(), b.name.toLowerCase()),
  id: byId(1),
  'id-descending': byId(-1),
}

type OrderOptions = {
  readonly caller: string
  readonly limit: number
  readonly more: number
  readonly order: Order
  readonly random: number
}

export const positionsInOrder = (
  plants: Plants,
  { caller, limit, more, order, random }: OrderOptions,
): { readonly positions: readonly number[]; readonly random: number } => {
  if (order === 'added' || order === 'newest')
    return { positions: plants.visibleTo(caller, limit + more, order), random }
  const all = plants.visibleTo(caller).map((position): Positioned => ({ ...plants.at(position), position }))
  const arranged =
    order === 'shuffled' ? shuffle(all, random, limit) : { plants: all.toSorted(comparisons[order]), random }
  return { positions: arranged.plants.slice(0, limit + more).map(({ position }) => position), random: arranged.random }
}

const shuffle = (plants: readonly Positioned[], random: number, shown: number) => {
  const source = randomSource(random)
  const result = [...plants]
  for (let i = result.length - 1; i > 0; i--) swap(result, i, Math.floor(source.next() * (i + 1)))
  const looksAsAdded = plants.every((plant, i) => i >= shown || looksEqual(plant, result[i]))
  const other = result.findIndex((plant) => !looksEqual(plant, result[0]))
  if (looksAsAdded && other !== -1) swap(result, 0, other)
  return { plants: result, random: source.state }
}

const swap = <T>(items: T[], i: number, j: number): void => {
  const [a, b] = [items[i], items[j]]
  if (a !== undefined && b !== undefined) [items[i], items[j]] = [b, a]
}

const looksEqual = (a: StoredPlant, b: StoredPlant | undefined): boolean => a.name === b?.name && a.tag === b.tag
