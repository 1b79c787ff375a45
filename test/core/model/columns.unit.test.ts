import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import { IdIndex, Numbers, Texts } from '../../../src/core/model/columns.ts'
import { Plants } from '../../../src/core/model/plants.ts'
import { runs } from '../../support/runs.ts'

const page = 4_096

describe('a column of texts', () => {
  it('returns every text, whatever its neighbours in one string are', () => {
    const texts = fc.array(fc.constantFrom('', 'a', 'bc', '\uD83C', '\uDF31', '🌱'), { minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(texts, fc.constantFrom(page - 1, page, 2 * page + 1), (pattern, length) => {
        const column = new Texts()
        const expected = Array.from({ length }, (_, i) => pattern[i % pattern.length] ?? '')
        for (const text of expected) column.push(text)
        expect(Array.from({ length: column.length }, (_, i) => column.at(i))).toEqual(expected)
      }),
      { numRuns: runs(100) },
    )
  })

  it('returns texts that are together longer than a string can be', () => {
    const column = new Texts()
    const long = 'x'.repeat(300_000)
    for (let i = 0; i < page; i++) column.push(i % 2 === 0 ? long : `${i}`)
    expect([column.at(0), column.at(page - 2), column.at(page - 1)]).toEqual([long, long, `${page - 1}`])
  })
})

describe('an index of ids', () => {
  it('finds the positions of an id from the last to the first, also where others have its slot', () => {
    const id = fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      fc.integer({ min: -3, max: 3 }).map((n) => n * 2 ** 32),
      fc.maxSafeInteger(),
      fc.constantFrom(Number.NaN, -0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
    )
    fc.assert(
      fc.property(fc.array(id, { maxLength: 200, size: 'max' }), fc.constantFrom(0, 20, 200), (ids, indexedLater) => {
        const column = new Numbers(Float64Array)
        for (const id of ids.slice(0, indexedLater)) column.push(id)
        const index = new IdIndex(column)
        for (const id of ids.slice(indexedLater)) {
          column.push(id)
          index.add(column.length - 1)
        }
        for (const id of [...ids, 7].filter((id) => !Number.isNaN(id))) {
          const found: number[] = []
          for (let at = index.last(id); at !== undefined; at = index.before(at)) found.push(at)
          expect(found).toEqual(ids.flatMap((other, at) => (other === id ? at : [])).toReversed())
        }
      }),
      { numRuns: runs(200) },
    )
  })
})

it('versions that end around a full page of texts go on apart', () => {
  const plantAt = (id: number): FixturePlant => ({ id, name: `n${id}`, tag: 't', access: ['alice'] })
  const versions = [Plants.from([plantAt(0)])]
  for (let id = 1; id <= page + 2; id++) versions.push((versions.at(-1) as Plants).append(plantAt(id)))
  const last = versions.at(-1) as Plants
  for (const length of [page - 1, page, page + 1, page + 2]) {
    const shorter = versions[length - 1] as Plants
    const other = shorter.append({ id: 1, name: 'other', tag: 'o' })
    expect([shorter.length, other.length, other.at(length)]).toMatchObject([length, length + 1, { name: 'other' }])
    expect([shorter.findDuplicate('alice', length, 'conflict'), other.findDuplicate('bob', 1, 'conflict')]).toEqual([
      undefined,
      length,
    ])
    expect(JSON.stringify([...other].slice(0, -1))).toBe(JSON.stringify([...last].slice(0, length)))
  }
})
