import { setImmediate } from 'node:timers/promises'
import { Collection } from '@msw/data'
import fc from 'fast-check'
import { createPlantMock, type FixturePlant, type PlantMock } from 'plant-mock'
import { mirrorPlants } from 'plant-mock/data'
import * as v from 'valibot'
import { expect, it, vi } from 'vitest'
import { runs } from '../support/runs.ts'
import { post } from '../support/targets.ts'

const refused = 'refused'
const pauses = [
  async () => undefined,
  async () => {
    for (let turn = 0; turn < 3; turn++) await undefined
  },
  () => setImmediate(),
]

const pause = fc.constantFrom(...pauses)
const id = fc.nat(5)
const name = fc.constantFrom('a', 'b', 'c', 'd', refused)
const tag = fc.constantFrom('x', 'y', ' z ')
const plant = fc.record({ id, name, tag })

const openCollection = (mock: PlantMock, pause: () => Promise<void>) => {
  const checked = v.objectAsync({
    id: v.optional(v.number()),
    name: v.pipe(v.string(), v.notValue(refused)),
    tag: v.pipe(v.string(), v.trim()),
    access: v.optional(v.array(v.string())),
  })
  const schema = v.pipeAsync(
    checked,
    v.transformAsync(async (plant) => {
      await pause()
      return plant
    }),
  )
  return new Collection({ schema, extensions: [mirrorPlants(mock)] })
}

type Opened = { readonly mock: PlantMock; readonly plants: ReturnType<typeof openCollection> }
type Step = (opened: Opened, restores: (() => Promise<void>)[]) => unknown

const step = <T>(values: fc.Arbitrary<T>, run: (opened: Opened, value: T) => unknown): fc.Arbitrary<Step> =>
  values.map((value) => (opened) => run(opened, value))
const patch = fc.record({ tag, access: fc.constantFrom(['bob'], null) })

const ofTheMock = [
  step(plant, ({ mock }, plant) => mock.fetch('/plants', post(plant))),
  step(fc.array(plant, { maxLength: 3 }), ({ mock }, plants) => mock.seed(plants)),
  step(fc.array(plant, { maxLength: 3 }), ({ mock }, plants) => mock.replaceFixtures(plants)),
  step(fc.tuple(id, patch), ({ mock }, [id, patch]) => mock.plants.update({ id }, patch)),
  step(fc.tuple(name, id), ({ mock }, [name, id]) => mock.plants.update({ name }, { id })),
  step(id, ({ mock }, id) => mock.plants.remove({ id })),
  fc.constant<Step>(({ mock }) => mock.plants.clear()),
  fc.constant<Step>(({ mock }) => mock.reset()),
  fc.constant<Step>(async ({ mock }, restores) => restores.push(await mock.snapshot())),
  fc.constant<Step>((_, restores) => restores.at(-1)?.()),
]

const ofTheUser = [
  step(plant, ({ plants }, plant) => plants.create(plant)),
  step(plant, ({ plants }, plant) => plants.createMany(2, () => plant)),
  step(fc.tuple(id, name), ({ plants }, [id, name]) =>
    plants.update((q) => q.where({ id }), {
      data(plant) {
        plant.name = name
      },
    }),
  ),
  step(fc.tuple(id, tag), ({ plants }, [id, tag]) =>
    plants.updateMany((q) => q.where({ id }), {
      data(plant) {
        plant.tag = tag
      },
    }),
  ),
  step(id, ({ plants }, id) => plants.delete((q) => q.where({ id }))),
  step(id, ({ plants }, id) => plants.deleteMany((q) => q.where({ id }))),
  fc.constant<Step>(({ plants }) => plants.clear()),
]

const fixture: fc.Arbitrary<FixturePlant> = fc.record({ id, name: fc.constantFrom('a', 'b'), tag })

it('a collection and its mock hold the same plants in the same order, whatever overlaps', async () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue()
  const property = fc.asyncProperty(
    fc.array(fixture, { maxLength: 4 }),
    fc.constantFrom('replace', 'conflict', 'accept'),
    pause,
    fc.array(fc.tuple(fc.oneof(...ofTheMock, ...ofTheUser), pause), { maxLength: 30 }),
    async (fixtures, duplicateId, schemaPause, steps) => {
      const mock = createPlantMock({ fixtures, assume: { 'create.duplicateId': duplicateId } })
      const opened = { mock, plants: openCollection(mock, schemaPause) }
      const restores: (() => Promise<void>)[] = []
      const results: Promise<unknown>[] = []
      for (const [step, pause] of steps) {
        results.push(Promise.resolve(step(opened, restores)).catch(() => refused))
        await pause()
      }
      await Promise.all(results)
      for (let turn = 0; turn < 3; turn++) await setImmediate()
      const all = await mock.plants.all()
      expect(opened.plants.all()).toEqual(all)
    },
  )
  await fc.assert(property, { numRuns: runs(1000) }).finally(() => printed.mockRestore())
})
