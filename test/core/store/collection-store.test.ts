import { Collection } from '@msw/data'
import { createPlantMock } from 'plant-mock'
import { collectionStore } from 'plant-mock/data'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { as, plantSchema, post } from '../../support/targets.ts'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }

const gardenSchema = v.object({ owner: v.string() })
const plantInGardenSchema = v.object({ ...plantSchema.entries, garden: v.optional(gardenSchema) })

describe('a collection that the user created', () => {
  const open = () => {
    const gardens = new Collection({ schema: gardenSchema })
    const plants = new Collection({ schema: plantInGardenSchema })
    plants.defineRelations(({ one }) => ({ garden: one(gardens) }))
    const store = collectionStore(plants, {
      extend: (_, caller) => {
        const garden = gardens.findFirst((q) => q.where({ owner: caller ?? 'nobody' }))
        return garden === undefined ? {} : { garden }
      },
    })
    return { gardens, plants, mock: createPlantMock({ store }) }
  }

  it('receives created plants, with relations to records of another collection', async () => {
    const { gardens, plants, mock } = open()
    await gardens.create({ owner: 'alice' })
    await mock.fetch('/plants', post(fern))
    expect(plants.findFirst((q) => q.where({ garden: { owner: 'alice' } }))?.name).toBe('Nephrolepis exaltata')
  })

  it('may contain plants that the test added, and the mock lists them', async () => {
    const { plants, mock } = open()
    await plants.create({ ...fern, access: ['alice'] })
    expect(await (await mock.fetch('/plants', as('alice'))).json()).toEqual([{ name: fern.name, tag: fern.tag }])
    expect(await (await mock.fetch('/plants', as('bob'))).json()).toEqual([])
    expect((await mock.fetch('/plants', post(fern))).status).toBe(409)
  })

  it('keeps the relations of existing records through a reset', async () => {
    const { gardens, plants, mock } = open()
    const garden = await gardens.create({ owner: 'bob' })
    await plants.create({ ...fern, garden })
    await mock.reset()
    await mock.fetch('/plants', post({ ...fern, id: 8 }))
    await mock.reset()
    expect(plants.all().map((plant) => plant.garden?.owner)).toEqual(['bob'])
  })

  it('restores records that a test deleted or changed', async () => {
    const { plants, mock } = open()
    await mock.seed([fern, { ...fern, id: 8 }, { ...fern, id: 9 }])
    const restore = await mock.snapshot()
    plants.delete((q) => q.where({ id: 8 }))
    await plants.update((q) => q.where({ id: 9 }), {
      data(plant) {
        plant.name = 'Changed'
      },
    })
    await restore()
    expect(await mock.plants.all()).toEqual([fern, { ...fern, id: 8 }, { ...fern, id: 9 }])
  })

  it('restores a plant that a create replaced', async () => {
    const { plants, mock } = open()
    await mock.assume({ 'create.duplicateId': 'replace' })
    await mock.seed([fern])
    const restore = await mock.snapshot()
    await mock.fetch('/plants', post({ ...fern, name: 'Replaced' }))
    expect(plants.all().map(({ name }) => name)).toEqual(['Replaced'])
    await restore()
    expect(plants.all().map(({ name }) => name)).toEqual([fern.name])
  })

  it('keeps the relations of a record that the mock updates, and loses one that it removes', async () => {
    const { gardens, plants, mock } = open()
    const garden = await gardens.create({ owner: 'bob' })
    await plants.create({ ...fern, garden })
    await plants.create({ ...fern, id: 8 })
    expect(await mock.plants.update({ id: 7 }, { id: 9, access: ['bob'] })).toBe(1)
    expect(await mock.plants.remove({ id: 8 })).toBe(1)
    expect(plants.all().map(({ id, access, garden }) => [id, access, garden?.owner])).toEqual([[9, ['bob'], 'bob']])
    expect(await mock.plants.update({ id: 9 }, { id: null, access: null })).toBe(1)
    expect(await mock.plants.all()).toEqual([{ name: fern.name, tag: fern.tag }])
  })

  it('changes no record when its schema refuses one', async () => {
    const plants = new Collection({
      schema: v.object({ ...plantSchema.entries, name: v.pipe(v.string(), v.maxLength(30)) }),
    })
    const mock = createPlantMock({ store: collectionStore(plants) })
    const fixtures = [fern, { ...fern, id: 8 }]
    await mock.seed(fixtures)
    await expect(mock.plants.update({ tag: 'fern' }, { name: 'x'.repeat(31) })).rejects.toThrow()
    expect(await mock.plants.all()).toEqual(fixtures)
  })

  it('starts with the fixtures when it is empty, and keeps its plants otherwise', async () => {
    const plants = new Collection({ schema: plantSchema })
    const first = createPlantMock({ store: collectionStore(plants), fixtures: [fern] })
    await first.fetch('/plants', post({ ...fern, id: 8 }))
    const second = createPlantMock({ store: collectionStore(plants), fixtures: [fern] })
    expect(await second.plants.all()).toHaveLength(2)
    await second.reset()
    expect(await second.plants.all()).toEqual([fern])
  })

  it('makes every request fail with 500 and the reason when it rejects the fixtures', async () => {
    const plants = new Collection({ schema: v.object({ ...plantSchema.entries, height: v.number() }) })
    const mock = createPlantMock({ store: collectionStore(plants as never), fixtures: [fern] })
    const response = await mock.fetch('/plants', as('alice'))
    expect(response.status).toBe(500)
    expect(((await response.json()) as { detail: string }).detail).toMatch(/fixtures could not be stored.*schema/i)
  })
})
