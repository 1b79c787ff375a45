import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdIndex } from '../../../src/core/store/plant-table.ts'

/** Consecutive ids, ids whose lower bits are zero, and arbitrary ids. */
const id = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.integer({ min: 0, max: 50 }).map((n) => n * 2 ** 20),
  fc.integer({ min: -50, max: 50 }).map((n) => n * 2 ** 40),
  fc.maxSafeInteger(),
)

describe('the index of ids', () => {
  it('equals a Map for any ids', () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 300 }), fc.array(id), (ids, others) => {
        const index = new IdIndex()
        const map = new Map<number, number>()
        for (const [position, id] of ids.entries()) {
          index.set(id, position)
          map.set(id, position)
        }
        for (const id of [...ids, ...others]) expect(index.get(id)).toBe(map.get(id))
      }),
    )
  })

  it.each([
    ['consecutive', (n: number) => n],
    ['in steps of a million', (n: number) => n * 1_000_000],
    ['in steps of a power of two', (n: number) => n * 2 ** 24],
    ['in steps beyond 32 bits', (n: number) => n * 2 ** 33],
    ['negative', (n: number) => -n],
    ['that are times in milliseconds', (n: number) => 1_700_000_000_000 + n * 1_000],
  ])('finds 100,000 ids: %s', (_, idOf) => {
    const index = new IdIndex()
    const positions = Array.from({ length: 100_000 }, (_, position) => position)
    for (const position of positions) index.set(idOf(position), position)
    expect(positions.filter((position) => index.get(idOf(position)) !== position)).toEqual([])
  })

  it('treats 0 and -0 as one id, because JSON does not distinguish them for an integer', () => {
    const index = new IdIndex()
    index.set(-0, 3)
    expect(index.get(0)).toBe(3)
  })
})
