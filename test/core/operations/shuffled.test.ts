import fc from 'fast-check'
import { createPlantMock } from 'plant-mock'
import { expect, it } from 'vitest'
import { as } from '../../support/targets.ts'

const plant = fc.record({ name: fc.constantFrom('Aloe', 'Box', 'Fern'), tag: fc.constantFrom('a', 'b') })

it('a shuffled list never looks as if the plants were in the order as added, where another order is possible', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plant, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(),
      async (plants, limit, seed) => {
        const fixtures = plants.map((draft, id) => ({ id, ...draft }))
        const list = async (order: 'added' | 'shuffled') => {
          const mock = createPlantMock({ fixtures, seed, assume: { 'list.order': order } })
          return (await (await mock.fetch(`/plants?limit=${limit}`, as('alice'))).json()) as readonly object[]
        }
        const areAllEqual = new Set(plants.map((one) => JSON.stringify(one))).size === 1
        const [added, shuffled] = [await list('added'), await list('shuffled')]
        expect(shuffled).toHaveLength(added.length)
        if (!areAllEqual) expect(shuffled).not.toEqual(added)
      },
    ),
  )
})
