import { Collection } from '@msw/data'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createPlantMock } from '../../src/core/mock/create-plant-mock.ts'
import type { PlantMockOptions } from '../../src/core/mock/options.ts'
import { type MirrorOptions, mirrorPlants } from '../../src/data.ts'

const plantSchema = v.object({
  id: v.optional(v.number()),
  name: v.string(),
  tag: v.string(),
  access: v.optional(v.array(v.string())),
})
const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const as = (caller: string): RequestInit => ({ headers: { authorization: `Bearer ${caller}` } })

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const aloe = { id: 1, name: 'Aloe vera', tag: 'succulent' }
const schema = v.object({ ...plantSchema.entries, name: v.pipe(v.string(), v.maxLength(30)), height: v.optional(v.number()) })

const open = (options: PlantMockOptions = {}, mirrorOptions: MirrorOptions = {}) => {
  const mock = createPlantMock(options)
  const plants = new Collection({ schema, extensions: [mirrorPlants(mock, mirrorOptions)] })
  const both = async () => ({ mock: await mock.plants.all(), records: plants.all().map((plant) => ({ ...plant })) })
  return { mock, plants, both }
}
const equal = ({ mock, records }: { mock: readonly object[]; records: readonly object[] }) => expect(records).toEqual(mock)

describe('a collection', () => {
  it('begins with the fixtures', async () => {
    const { plants, mock } = open({ fixtures: [fern, aloe] })
    expect(await mock.plants.all()).toEqual([fern, aloe])
    expect(plants.all()).toEqual([fern, aloe])
  })

  it('begins with the fixtures, and what the user creates at once comes after', async () => {
    const { plants, both } = open({ fixtures: ['garden'] })
    await plants.create(fern)
    const { mock, records } = await both()
    expect(mock.length).toBeGreaterThan(1)
    expect(mock.at(-1)).toEqual(fern)
    expect(records).toEqual(mock)
  })

  it.each<[string, (open_: ReturnType<typeof open>) => unknown]>([
    ['create', ({ plants }) => plants.create({ ...fern, id: 9 })],
    ['createMany', ({ plants }) => plants.createMany(3, (id) => ({ ...fern, id: 10 + id }))],
    ['update', ({ plants }) => plants.update((q) => q.where({ id: 7 }), { data: (plant) => { plant.name = 'Fern' } })],
    ['updateMany', ({ plants }) => plants.updateMany((q) => q.where({ name: fern.name }), { data: (plant) => { plant.access = ['bob'] } })],
    ['delete', ({ plants }) => plants.delete((q) => q.where({ id: 7 }))],
    ['deleteMany', ({ plants }) => plants.deleteMany((q) => q.where({ tag: 'fern' }))],
    ['clear', ({ plants }) => plants.clear()],
  ])('tells the mock of %s', async (_, write) => {
    const opened = open({ fixtures: [fern, aloe, { ...fern, id: 8 }] })
    const before = await opened.mock.plants.all()
    await write(opened)
    const after = await opened.mock.plants.all()
    expect(after).not.toEqual(before)
    expect(opened.plants.all()).toEqual(after)
  })

  it.each<[string, (open_: ReturnType<typeof open>) => unknown]>([
    ['a request', ({ mock }) => mock.fetch('/plants', post({ ...fern, id: 99 }))],
    ['seed', ({ mock }) => mock.seed([{ ...fern, id: 99 }])],
    ['load', ({ mock }) => mock.load([aloe, { ...fern, id: 99 }])],
    ['update', ({ mock }) => mock.plants.update({ id: 7 }, { id: 17, access: ['bob'] })],
    ['remove', ({ mock }) => mock.plants.remove({ id: 7 })],
    ['clear', ({ mock }) => mock.plants.clear()],
  ])('shows %s', async (_, run) => {
    const opened = open({ fixtures: [fern, aloe, { ...fern, id: 8 }] })
    const before = await opened.mock.plants.all()
    await run(opened)
    const after = await opened.mock.plants.all()
    expect(after).not.toEqual(before)
    expect(opened.plants.all()).toEqual(after)
    await opened.mock.reset()
    expect(await opened.mock.plants.all()).toEqual(before)
    expect(opened.plants.all()).toEqual(before)
  })

  it('restores', async () => {
    const { mock, plants, both } = open({ fixtures: [fern, aloe, { ...fern, id: 8 }] })
    await plants.update((q) => q.where({ id: 1 }), { data: (plant) => { plant.height = 5 } })
    const restore = await mock.snapshot()
    await plants.update((q) => q.where({ id: 1 }), { data: (plant) => { plant.height = 6; plant.tag = 'changed' } })
    plants.delete((q) => q.where({ id: 7 }))
    await mock.fetch('/plants', post({ ...fern, id: 99 }))
    await restore()
    expect(plants.all()).toEqual([fern, { ...aloe, height: 6 }, { ...fern, id: 8 }])
    expect(await mock.plants.all()).toEqual([fern, aloe, { ...fern, id: 8 }])
    await plants.create({ ...fern, id: 100 })
    expect((await both()).mock.map(({ id }) => id)).toEqual([7, 1, 8, 100])
  })

  it('refuses', async () => {
    const { mock, plants, both } = open({ fixtures: [fern, aloe] })
    const response = await mock.fetch('/plants', post({ id: 3, name: 'x'.repeat(31), tag: 'y' }))
    expect([response.status, await response.json()]).toEqual([500, expect.objectContaining({ detail: expect.stringMatching(/schema/) })])
    await expect(mock.seed([{ ...fern, id: 8 }, { ...fern, name: 'x'.repeat(31) }])).rejects.toThrow(/schema/)
    await expect(mock.load([{ ...fern, id: 8 }, { ...fern, name: 'x'.repeat(31) }])).rejects.toThrow(/schema/)
    await expect(plants.create({ ...fern, id: 1.5 })).rejects.toThrow(/plant/)
    await expect(plants.update((q) => q.where({ id: 7 }), { data: (plant) => { plant.access = ['no token'] } })).rejects.toThrow(/plant/)
    await expect(plants.update((q) => q.where({ id: 7 }), { data: (plant) => { plant.name = 'x'.repeat(31) } })).rejects.toThrow(/schema/)
    const { mock: all, records } = await both()
    expect(all).toEqual([fern, aloe])
    expect(records).toEqual(all)
  })

  it('fixtures refused', async () => {
    const { mock } = open({ fixtures: [{ ...fern, name: 'x'.repeat(31) }] })
    const response = await mock.fetch('/plants', as('alice'))
    expect([response.status, await response.json()]).toEqual([500, expect.objectContaining({ detail: expect.stringMatching(/schema/) })])
  })

  it('overlaps', async () => {
    const { mock, plants, both } = open({ fixtures: [fern, aloe] })
    await mock.plants.all()
    const writes = []
    for (let i = 0; i < 50; i++) {
      writes.push(mock.fetch('/plants', post({ ...fern, id: 1000 + i })))
      writes.push(plants.create({ ...fern, id: 2000 + i }))
      if (i % 3 === 0) writes.push(plants.update((q) => q.where({ id: 7 }), { data: (plant) => { plant.name = `n${i}` } }))
      if (i % 3 === 1) writes.push(mock.plants.update({ id: 7 }, { tag: `t${i}` }))
      if (i % 5 === 1) await Promise.resolve()
      if (i % 7 === 3) plants.delete((q) => q.where({ id: 1000 + i - 3 }))
      if (i % 11 === 5) writes.push(mock.plants.remove({ id: 2000 + i - 4 }))
    }
    await Promise.all(writes)
    const { mock: all, records } = await both()
    expect(all.length).toBeGreaterThan(80)
    equal({ mock: all, records })
  })
})
