import fc from 'fast-check'
import type { FixturePlant } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { mergeSighting } from '../../../src/core/fixtures/sightings.ts'
import { pseudonym } from '../../support/callers.ts'
import { runs } from '../../support/runs.ts'

type ListedPlant = { readonly name: string; readonly tag: string }

const listedPlant = fc.record({ name: fc.constantFrom('a', 'b', 'c'), tag: fc.constantFrom('x', 'y') })
const list = fc.array(listedPlant, { maxLength: 8 })
const first = pseudonym('caller-1')
const names = [first, pseudonym('caller-2'), pseudonym('caller-3')]
const caller = fc.constantFrom(...names)
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
  plants
    .filter(({ access }) => access === undefined || access.includes(caller))
    .map(({ name, tag }) => ({ name, tag: tag ?? '' }))

const all = new Set(names)

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
      { numRuns: runs(4_000) },
    )
  })

  it('is unchanged when the same list is sighted again', () => {
    fc.assert(
      fc.property(start, caller, (fixtures, caller) => {
        const again = { caller, list: visible(fixtures, caller), isWhole: true }
        expect(mergeSighting(fixtures, again, all)).toBe(fixtures)
      }),
    )
  })

  it('keeps the ids of created plants when a list has another order', () => {
    let plants: readonly FixturePlant[] = []
    for (const created of [
      { id: 1, name: 'a', tag: 'x' },
      { id: 2, name: 'b', tag: 'x' },
    ])
      plants = mergeSighting(plants, { caller: first, created }, all)
    const newestFirst = [
      { name: 'b', tag: 'x' },
      { name: 'a', tag: 'x' },
    ]
    plants = mergeSighting(plants, { caller: first, list: newestFirst, isWhole: true }, all)
    expect(plants).toEqual([
      { id: 2, name: 'b', tag: 'x', access: ['caller-1'] },
      { id: 1, name: 'a', tag: 'x', access: ['caller-1'] },
    ])
  })

  const plant = (name: string, more: Partial<FixturePlant> = {}): FixturePlant => ({ name, tag: 'x', ...more })
  const mine = { access: ['caller-1'] }
  const shared = { access: ['caller-1', 'caller-2'] }

  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['as many equal plants as before', ['a', 'a', 'a', 'b'], ['a'], ['a', 'a', 'a', 'b']],
    ['one more of a plant that is seen twice', ['a', 'b'], ['a', 'a'], ['a', 'a', 'b']],
    ['the rest after the part', ['a', 'b', 'c', 'b'], ['b', 'b'], ['b', 'b', 'a', 'c']],
  ])('has %s when a part of the list was sighted', (_, before, list, after) => {
    const sighting = { caller: first, list: list.map((name) => plant(name)), isWhole: false }
    const merged = mergeSighting(
      before.map((name) => plant(name, mine)),
      sighting,
      all,
    )
    expect(merged.map(({ name }) => name)).toEqual(after)
  })

  it.each<[string, readonly FixturePlant[], readonly string[], readonly FixturePlant[]]>([
    [
      'keeps a shared plant whose neighbour is replaced',
      [plant('a', { id: 1, ...shared }), plant('b', mine)],
      ['a', 'c'],
      [plant('a', { id: 1, ...shared }), plant('c', mine)],
    ],
    [
      'gives an id to one plant only',
      [plant('a', { id: 1, ...mine })],
      ['a', 'a'],
      [plant('a', { id: 1, ...mine }), plant('a', mine)],
    ],
    [
      'keeps the id of one of two equal plants that move',
      [plant('b', mine), plant('a', mine), plant('a', { id: 2, ...mine })],
      ['a', 'b'],
      [plant('a', { id: 2, ...mine }), plant('b', mine)],
    ],
  ])('%s', (_, before, list, after) => {
    const sighting = { caller: first, list: list.map((name) => plant(name)), isWhole: true }
    expect(mergeSighting(before, sighting, all)).toStrictEqual(after)
  })

  it('shares one plant among callers that see the same', () => {
    const list = ['a', 'b', 'c'].map((name) => ({ name, tag: 'x' }))
    let plants: readonly FixturePlant[] = []
    for (const caller of names.slice(0, 2)) plants = mergeSighting(plants, { caller, list, isWhole: true }, all)
    expect(plants).toEqual(list.map((plant) => ({ ...plant, access: ['caller-1', 'caller-2'] })))
  })
})
