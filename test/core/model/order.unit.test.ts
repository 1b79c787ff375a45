import { describe, expect, it } from 'vitest'
import { arrangements } from '../../../src/core/operations/list-plants/order.ts'
import type { StoredPlant } from '../../../src/core/store/plant-store.ts'

const plant = (id: number | undefined, name = 'x', tag = 't') => ({ id, name, tag }) as StoredPlant
const idsOf = (plants: readonly StoredPlant[]) => plants.map(({ id }) => id)

describe('the orders of list.order that need all plants', () => {
  const mixed = [plant(undefined, 'first'), plant(3), plant(-1), plant(undefined, 'second'), plant(10), plant(2)]

  it('by id puts plants without an id last, in the order in which they were added', () => {
    const sorted = arrangements.id(mixed, Math.random, 6)
    expect(idsOf(sorted)).toEqual([-1, 2, 3, 10, undefined, undefined])
    expect(sorted.slice(4).map(({ name }) => name)).toEqual(['first', 'second'])
  })

  it('by id descending too', () => {
    const sorted = arrangements['id-descending'](mixed, Math.random, 6)
    expect(idsOf(sorted)).toEqual([10, 3, 2, -1, undefined, undefined])
    expect(sorted.slice(4).map(({ name }) => name)).toEqual(['first', 'second'])
  })

  it('by id keep plants with one id in the order in which they were added', () => {
    const equal = [plant(1, 'a'), plant(1, 'b'), plant(1, 'c')]
    for (const order of ['id', 'id-descending'] as const)
      expect(arrangements[order](equal, Math.random, 3).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  it('leave an empty list empty', () => {
    for (const arrange of Object.values(arrangements)) expect(arrange([], Math.random, 0)).toEqual([])
  })

  it('shuffled takes each place from the last to the second, with a random one up to it', () => {
    const plants = [0, 1, 2, 3].map((id) => plant(id, `${id}`))
    const draws = [0, 0, 0]
    const bounds: number[] = []
    const random = () => {
      bounds.push(bounds.length)
      return draws[bounds.length - 1] ?? 0
    }
    expect(idsOf(arrangements.shuffled(plants, random, 4))).toEqual([1, 2, 3, 0])
    expect(bounds).toHaveLength(3)
  })
})
