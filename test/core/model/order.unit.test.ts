import { describe, expect, it } from 'vitest'
import type { Assumptions } from '../../../src/core/assumptions/registry.ts'
import { positionsInOrder } from '../../../src/core/model/order.ts'
import { Plants } from '../../../src/core/model/plants.ts'

type Row = readonly [id: number | undefined, name: string]
const plantsOf = (rows: readonly Row[]) => Plants.from(rows.map(([id, name]) => ({ id, name, tag: 't' }) as never))

const namesIn = (rows: readonly Row[], order: Assumptions['list.order'], random = 1) => {
  const plants = plantsOf(rows)
  const { positions } = positionsInOrder(plants, { caller: 'alice', limit: rows.length, more: 0, order, random })
  return positions.map((position) => plants.at(position).name).join('')
}

describe('a shuffled list', () => {
  const rows = ['a', 'b', 'c', 'd'].map((name, id): Row => [id, name])
  const shuffles = Array.from({ length: 600 }, (_, seed) => namesIn(rows, 'shuffled', seed))

  it('has every order but the one as added', () => {
    expect(new Set(shuffles).size).toBe(23)
    expect(shuffles).not.toContain('abcd')
  })

  it('draws one number for each place but the first', () => {
    const request = { caller: 'alice', limit: 4, more: 0, order: 'shuffled', random: 1 } as const
    const { random } = positionsInOrder(plantsOf(rows), request)
    expect(random).toBe((1 + 3 * 0x6d2b79f5) | 0)
  })

  it('of equal plants stays as it is', () => {
    expect(
      namesIn(
        [
          [1, 'a'],
          [2, 'a'],
        ],
        'shuffled',
      ),
    ).toBe('aa')
  })
})
