import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdIndex } from '../../src/store/id-index.ts'

/** Ids as people give them: in a row, in steps that fill the lower bits with zeros, and anywhere. */
const id = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.integer({ min: 0, max: 50 }).map((n) => n * 2 ** 20),
  fc.integer({ min: -50, max: 50 }).map((n) => n * 2 ** 40),
  fc.maxSafeInteger(),
)

describe('the index of ids', () => {
  it('finds what a Map finds, whatever the ids are', () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 300 }), fc.array(id), (ids, others) => {
        const index = new IdIndex()
        const map = new Map<number, number>()
        for (const [place, id] of ids.entries()) {
          index.set(id, place)
          map.set(id, place)
        }
        for (const id of [...ids, ...others]) expect(index.get(id)).toBe(map.get(id))
      }),
    )
  })

  it.each([
    ['in a row', (n: number) => n],
    ['in steps of a million', (n: number) => n * 1_000_000],
    ['in steps of a power of two', (n: number) => n * 2 ** 24],
    ['in steps beyond 32 bits', (n: number) => n * 2 ** 33],
    ['below zero', (n: number) => -n],
    ['as times in milliseconds', (n: number) => 1_700_000_000_000 + n * 1_000],
  ])('finds a hundred thousand ids %s', (_, idOf) => {
    const index = new IdIndex()
    const places = Array.from({ length: 100_000 }, (_, place) => place)
    for (const place of places) index.set(idOf(place), place)
    expect(places.filter((place) => index.get(idOf(place)) !== place)).toEqual([])
  })

  it('takes 0 and -0 for one id, as JSON does not tell them apart for an integer', () => {
    const index = new IdIndex()
    index.set(-0, 3)
    expect(index.get(0)).toBe(3)
  })
})
