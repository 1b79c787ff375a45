import { EventEmitter, once } from 'node:events'
import { Collection } from '@msw/data'
import { createPlantMock, type PlantMock, type PlantMockOptions } from 'plant-mock'
import { type MirrorOptions, mirrorPlants } from 'plant-mock/data'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { createInternalMock } from '../../src/core/mock/create-plant-mock.ts'
import { as, post } from '../support/targets.ts'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const other = { ...fern, id: 8 }
const aloe = { id: 1, name: 'Aloe vera', tag: 'succulent' }
const tooLong = { ...fern, id: 9, name: 'x'.repeat(31) }

const schema = v.object({
  id: v.exactOptional(v.number()),
  name: v.pipe(v.string(), v.maxLength(30)),
  tag: v.pipe(v.string(), v.trim()),
  access: v.exactOptional(v.array(v.string())),
  height: v.optional(v.number()),
})

const open = (options: PlantMockOptions = {}, mirrorOptions: MirrorOptions = {}) => {
  const mock = createPlantMock(options)
  return { mock, plants: new Collection({ schema, extensions: [mirrorPlants(mock, mirrorOptions)] }) }
}
type Opened = ReturnType<typeof open>

const create = async (mock: PlantMock, plant: object): Promise<{ status: number; body: unknown }> => {
  const response = await mock.fetch('/plants', post(plant))
  return { status: response.status, body: await response.json() }
}

const plantsOf = async ({ mock, plants }: Opened) => {
  const all = await mock.plants.all()
  expect(plants.all().map(({ height: _, ...plant }) => plant)).toEqual(all)
  return all
}

describe('mirrorPlants', () => {
  it('fills the collection with the fixtures before it can be used', async () => {
    const opened = open({ fixtures: [{ ...fern, tag: ' fern ' }, aloe] }, { fields: () => ({ height: 20 }) })
    expect(opened.plants.findMany()).toEqual([fern, aloe].map((plant) => ({ ...plant, height: 20 })))
    expect(await plantsOf(opened)).toEqual([fern, aloe])
  })

  it('lists a record for the callers in its access, from the write on', async () => {
    const { mock, plants } = open()
    await plants.create({ ...fern, access: ['alice'] })
    expect(await (await mock.fetch('/plants', as('alice'))).json()).toEqual([{ name: fern.name, tag: fern.tag }])
    expect(await (await mock.fetch('/plants', as('bob'))).json()).toEqual([])
    expect((await create(mock, fern)).status).toBe(409)
  })

  it('tells listeners of the mock about a write', async () => {
    const { mock, plants } = open()
    await mock.plants.all()
    const changed = vi.fn()
    mock.instances.root.events.listen(changed)
    await plants.create(fern)
    expect(changed).toHaveBeenCalledExactlyOnceWith({ type: 'change', subject: 'plants' })
  })

  it('takes over what the schema makes of a plant', async () => {
    const opened = open({ assume: { 'create.duplicateId': 'replace' } })
    expect((await create(opened.mock, { ...fern, tag: ' fern ' })).body).toEqual({ name: fern.name, tag: 'fern' })
    expect(await plantsOf(opened)).toEqual([{ ...fern, access: ['alice'] }])
    await create(opened.mock, other)
    expect((await create(opened.mock, { ...fern, tag: ' Fern ' })).body).toEqual({ name: fern.name, tag: 'Fern' })
    await opened.mock.plants.remove({ id: 8 })
    expect(await plantsOf(opened)).toEqual([{ ...fern, tag: 'Fern', access: ['alice'] }])
  })

  it('serves a session instead of the mock itself', async () => {
    const mock = createPlantMock()
    const plants = new Collection({ schema, extensions: [mirrorPlants(mock.session('a'))] })
    await plants.create(fern)
    expect(await mock.session('a').plants.all()).toEqual([fern])
    expect(await mock.plants.all()).toEqual([])
  })

  it.each([
    ['has a collection', () => open().mock],
    ['writes its plants to a file', () => createInternalMock({}, { write: () => undefined })],
  ])('refuses a mock that %s', (_, openMock) => {
    const extensions = [mirrorPlants(openMock())]
    expect(() => new Collection({ schema, extensions })).toThrow(
      'This mock already keeps its plants in a file or another collection',
    )
  })
})

const halve = (plant: { id?: number | undefined }): void => {
  plant.id = 0.5
}

describe('further fields of a record', () => {
  const gardenSchema = v.object({ owner: v.string() })
  const openGardens = (fixtures: PlantMockOptions['fixtures'] = []) => {
    const gardens = new Collection({ schema: gardenSchema })
    const mock = createPlantMock({ fixtures, assume: { 'create.duplicateId': 'replace' } })
    const fields: MirrorOptions['fields'] = async ({ access: [owner = 'nobody'] = [] }) => ({
      garden: gardens.findFirst((q) => q.where({ owner })) ?? (await gardens.create({ owner })),
    })
    const plants = new Collection({
      schema: v.object({ ...schema.entries, garden: v.optional(gardenSchema) }),
      extensions: [mirrorPlants(mock, { fields })],
    })
    plants.defineRelations(({ one }) => ({ garden: one(gardens) }))
    const moveTo = async (owner: string) => {
      const garden = await gardens.create({ owner })
      await plants.updateMany((q) => q.where({}), {
        data(plant) {
          plant.garden = garden
        },
      })
    }
    return { mock, plants, moveTo, owners: () => plants.all().map(({ id, garden }) => [id, garden?.owner]) }
  }

  it('come from the option fields, and may be relations', async () => {
    const { mock, plants, owners } = openGardens([aloe])
    await create(mock, fern)
    expect(owners()).toEqual([
      [1, 'nobody'],
      [7, 'alice'],
    ])
    expect(plants.findFirst((q) => q.where({ garden: { owner: 'alice' } }))?.name).toBe(fern.name)
  })

  it.each<[string, (mock: PlantMock) => unknown, readonly (number | undefined)[]]>([
    ['a create that replaces it', (mock) => create(mock, { ...fern, name: 'Fern' }), [7, 8]],
    ['an update of its id', (mock) => mock.plants.update({ id: 7 }, { id: 9, access: ['bob'] }), [9, 8]],
    ['an update of its name', (mock) => mock.plants.update({ tag: 'fern' }, { name: 'Fern' }), [7, 8]],
    ['the removal of another plant', (mock) => mock.plants.remove({ id: 7 }), [8]],
    ['a reset', (mock) => mock.reset(), [7, 8]],
    ['replaceFixtures', (mock) => mock.replaceFixtures([other, { ...fern, id: 7, name: 'Fern' }]), [8, 7]],
  ])('survive %s', async (_, change, ids) => {
    const { mock, moveTo, owners } = openGardens([fern, other])
    await mock.plants.all()
    await moveTo('carol')
    await change(mock)
    expect(owners()).toEqual(ids.map((id) => [id, 'carol']))
  })

  it('survive the return of a removed plant in front of theirs', async () => {
    const { mock, moveTo, owners } = openGardens([fern, other])
    const restore = await mock.snapshot()
    await mock.plants.remove({ id: 7 })
    await moveTo('carol')
    await restore()
    expect(owners()).toEqual([
      [7, 'nobody'],
      [8, 'carol'],
    ])
  })
})

describe('a refusal', () => {
  let printed: MockInstance
  beforeEach(() => {
    printed = vi.spyOn(console, 'error').mockReturnValue()
  })
  afterEach(() => printed.mockRestore())

  it('by the schema makes a create fail', async () => {
    const opened = open({ fixtures: [fern] })
    const problem = { title: expect.any(String), detail: expect.stringContaining('does not match the schema') }
    expect(await create(opened.mock, tooLong)).toEqual({ status: 500, body: expect.objectContaining(problem) })
    expect(await plantsOf(opened)).toEqual([fern])
  })

  it.each<[string, (mock: PlantMock) => Promise<unknown>]>([
    ['seed', (mock) => mock.seed([other, tooLong])],
    ['replaceFixtures', (mock) => mock.replaceFixtures([{ ...fern, name: 'Fern' }, aloe, tooLong])],
    ['update', (mock) => mock.plants.update({}, { name: tooLong.name })],
  ])('by the schema makes %s fail as a whole', async (_, change) => {
    const opened = open({ fixtures: [fern, aloe] })
    await expect(change(opened.mock)).rejects.toThrow('does not match the schema')
    expect(await plantsOf(opened)).toEqual([fern, aloe])
  })

  it('of the fixtures makes each request and command fail with the reason', async () => {
    const { mock } = open({ fixtures: [fern, tooLong] })
    const response = await mock.fetch('/plants', as('alice'))
    expect(response.status).toBe(500)
    expect(await response.text()).toMatch(/fixtures could not be loaded.*schema/i)
    await expect(mock.plants.all()).rejects.toThrow('does not match the schema')
  })

  it.each<[string, (plants: Opened['plants']) => Promise<unknown>]>([
    ['an id that is no integer', (plants) => plants.create({ ...fern, id: 1.5 })],
    ['access for what is no token', (plants) => plants.create({ ...fern, access: ['a b'] })],
    ['an update', (plants) => plants.update((q) => q.where({ id: 7 }), { data: halve })],
  ])('concerns a record that is no plant: %s', async (_, write) => {
    const opened = open({ fixtures: [fern] })
    await opened.mock.plants.all()
    await expect(write(opened.plants)).rejects.toThrow(/^Each record must be a plant: /)
    expect(await plantsOf(opened)).toEqual([fern])
  })

  it('leaves records and plants equal, also where a hook of the user refuses to undo', async () => {
    const opened = open({ fixtures: [fern] })
    await opened.mock.plants.all()
    opened.plants.hooks.on('delete', () => {
      throw new Error('nothing is deleted here')
    })
    await expect(opened.mock.seed([other, tooLong])).rejects.toThrow('does not match the schema')
    expect(await plantsOf(opened)).toEqual([fern, other])
  })

  it('by a hook of the user has the same effect', async () => {
    const opened = open({ fixtures: [fern, other] })
    await opened.mock.plants.all()
    opened.plants.hooks.on('create', () => {
      throw new Error('no more')
    })
    opened.plants.hooks.on('delete', (event) => {
      if (event.data.deletedRecord.id === 7) event.preventDefault()
    })
    expect((await create(opened.mock, aloe)).status).toBe(500)
    await opened.mock.plants.clear()
    expect(await plantsOf(opened)).toEqual([fern])
  })
})

describe('a write that overlaps a request', () => {
  it('keeps its plant, after that of the request', async () => {
    const writing = new EventEmitter()
    const fields = async () => {
      writing.emit('begun')
      await once(writing, 'continued')
      return {}
    }
    const opened = open({}, { fields })
    const [requested] = [create(opened.mock, fern), await once(writing, 'begun')]
    await opened.plants.create(other)
    const listed = opened.mock.plants.all()
    writing.emit('continued')
    expect((await requested).status).toBe(201)
    expect((await listed).map(({ id }) => id)).toEqual([7, 8])
    expect((await plantsOf(opened)).map(({ id }) => id)).toEqual([7, 8])
  })

  it('may delete what the mock changes', async () => {
    const opened = open({ fixtures: [fern, aloe] })
    await opened.mock.plants.all()
    opened.plants.hooks.on('update', ({ data }) => {
      opened.plants.delete((q) => q.where((plant) => plant.id === data.prevRecord.id))
    })
    expect(await opened.mock.plants.update({ id: 7 }, { name: 'Fern' })).toBe(1)
    expect(await plantsOf(opened)).toEqual([aloe])
  })

  it('may come from a hook that waits for it', async () => {
    const opened = open()
    opened.plants.hooks.on('create', async ({ data }) => {
      if (data.record.id === 7) await opened.plants.create(other)
    })
    expect((await create(opened.mock, fern)).status).toBe(201)
    expect((await plantsOf(opened)).map(({ id }) => id)).toEqual([7, 8])
  })
})
