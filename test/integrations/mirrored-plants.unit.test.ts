import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FixturePlant } from '../../src/core/contract/schemas.ts'
import { Plants, type StoredPlant } from '../../src/core/model/plants.ts'
import { initialState } from '../../src/core/model/state.ts'
import { changeTo, originsOf } from '../../src/integrations/records.ts'
import { runs } from '../support/runs.ts'

const a = { id: 1, name: 'a', tag: 't', access: undefined }
const b = { id: 2, name: 'b', tag: 't', access: ['bob'] }
const c = { id: undefined, name: 'c', tag: 't', access: undefined }

describe('the origin of a plant', () => {
  it.each([
    ['the equal plant at its position, among equal ones', [a, a, a], [a, a], [0, 1]],
    ['the plant with its id, whatever else has changed', [a, b], [{ ...b, name: 'B', tag: '' }, c], [1, undefined]],
    ['none, if nothing is alike', [a, b], [{ ...c, name: 'x' }], [undefined]],
  ] as const)('is %s', (_, before, after, origins) => {
    expect(originsOf(Plants.from(before), Plants.from(after))).toEqual(origins)
  })

  it('is that of no other plant', () => {
    const plants = fc.array(fc.constantFrom(a, b, c, { ...a, id: 3 }, { ...b, name: 'a' }, { ...c, id: 1 }))
    const property = fc.property(plants, plants, (before, after) => {
      const origins = originsOf(Plants.from(before), Plants.from(after)).filter((origin) => origin !== undefined)
      expect(new Set(origins).size).toBe(origins.length)
      expect(origins.every((origin) => origin < before.length)).toBe(true)
    })
    fc.assert(property, { numRuns: runs(500) })
  })
})

describe('the change to the plants of records', () => {
  const plants = Plants.from([a, b, c])
  const keys = ['x', 'y', 'z']
  const changeWith = (records: object) => changeTo(new Map(Object.entries(records)), plants, keys)
  const apply = ({ change }: ReturnType<typeof changeTo>, before: Iterable<FixturePlant | StoredPlant>) => [
    ...change(initialState(Plants.from(before), 1)).plants,
  ]

  it('leaves the state as it is, if nothing differs', () => {
    const state = initialState(plants, 1)
    expect(changeWith({ z: c, y: b, x: a }).change(state)).toBe(state)
  })

  it('concerns the equal plants of another state', () => {
    const [other, changed] = [
      { ...a, id: 5 },
      { ...c, name: 'C' },
    ]
    expect(apply(changeWith({ x: a, z: changed }), [other, a, b, c])).toEqual([other, a, changed])
    expect(apply(changeWith({ x: a, z: changed }), [other])).toEqual([other])
  })

  it('concerns a plant that another state has with the same id and place, in its other form', () => {
    const cut = { ...b, name: 'cut' }
    expect(apply(changeWith({ x: a, z: c }), [a, cut])).toEqual([a])
    expect(apply(changeWith({ x: a, y: { ...b, tag: 'new' }, z: c }), [a, cut])).toEqual([a, { ...cut, tag: 'new' }])
    // Under create.duplicateId, a state may lack the plant, but hold another plant with the same id.
    expect(apply(changeWith({ x: a, z: c }), [cut, a])).toEqual([cut, a])
  })
})
