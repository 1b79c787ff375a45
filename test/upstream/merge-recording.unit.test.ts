import fc from 'fast-check'
import type { FixturePlant } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { mergeSighting } from '../../src/upstream/merge-recording.ts'

type ListedPlant = { readonly name: string; readonly tag: string }

const listedPlant = fc.record({ name: fc.constantFrom('a', 'b', 'c'), tag: fc.constantFrom('x', 'y') })
const list = fc.array(listedPlant, { maxLength: 8 })
const caller = fc.constantFrom('caller-1', 'caller-2', 'caller-3')
const step = fc.oneof(
  fc.record({ caller, list, isWhole: fc.boolean() }),
  fc.record({
    caller,
    created: fc.record({ id: fc.nat(9), name: fc.constantFrom('a', 'b'), tag: fc.constant('x') }),
  }),
)
const start = fc.array(
  fc.record(
    {
      id: fc.nat(9),
      name: fc.constantFrom('a', 'b'),
      tag: fc.constant('x'),
      access: fc.uniqueArray(caller, { minLength: 1 }),
    },
    { requiredKeys: ['name', 'tag'] },
  ),
  { maxLength: 6 },
)

const visible = (plants: readonly FixturePlant[], caller: string): readonly ListedPlant[] =>
  plants.filter(({ access }) => access === undefined || access.includes(caller)).map(({ name, tag }) => ({ name, tag }))

const all = new Set(['caller-1', 'caller-2', 'caller-3'])

describe('a recording after a sighting', () => {
  it('gives the caller the list that was sighted, and changes no other caller’s list', () => {
    fc.assert(
      fc.property(start, fc.array(step, { maxLength: 12 }), (fixtures, steps) => {
        let plants: readonly FixturePlant[] = fixtures
        for (const sighting of steps) {
          const before = plants
          plants = mergeSighting(before, sighting, all)
          const callerPlants = visible(plants, sighting.caller)
          if ('created' in sighting) expect(callerPlants.at(-1)).toEqual({ name: sighting.created.name, tag: 'x' })
          else if (sighting.isWhole) expect(callerPlants).toEqual(sighting.list)
          else expect(callerPlants.slice(0, sighting.list.length)).toEqual(sighting.list)
          for (const other of all)
            if (other !== sighting.caller) expect(visible(plants, other)).toEqual(visible(before, other))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('is unchanged when the same list is sighted again', () => {
    fc.assert(
      fc.property(start, caller, (fixtures, caller) => {
        const again = { caller, list: visible(fixtures, caller), isWhole: true }
        expect(mergeSighting(fixtures, again, all)).toEqual(fixtures)
      }),
    )
  })

  it('keeps the ids of created plants when a list has another order', () => {
    let plants: readonly FixturePlant[] = []
    for (const created of [
      { id: 1, name: 'a', tag: 'x' },
      { id: 2, name: 'b', tag: 'x' },
    ])
      plants = mergeSighting(plants, { caller: 'caller-1', created }, all)
    const newestFirst = [
      { name: 'b', tag: 'x' },
      { name: 'a', tag: 'x' },
    ]
    plants = mergeSighting(plants, { caller: 'caller-1', list: newestFirst, isWhole: true }, all)
    expect(plants).toEqual([
      { id: 2, name: 'b', tag: 'x', access: ['caller-1'] },
      { id: 1, name: 'a', tag: 'x', access: ['caller-1'] },
    ])
  })

  it('shares one plant among callers that see the same', () => {
    const list = ['a', 'b', 'c'].map((name) => ({ name, tag: 'x' }))
    let plants: readonly FixturePlant[] = []
    for (const caller of ['caller-1', 'caller-2']) plants = mergeSighting(plants, { caller, list, isWhole: true }, all)
    expect(plants).toEqual(list.map((plant) => ({ ...plant, access: ['caller-1', 'caller-2'] })))
  })
})
