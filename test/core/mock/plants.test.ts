import { type PlantFields, PlantMockError, type PlantPatch } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { listPlants, mocksFor, useMock } from '../../support/mocks.ts'
import { aloe, fern } from '../../support/plants.ts'
import { post } from '../../support/targets.ts'

describe.each(mocksFor('plants'))('the plants of a mock $name', ({ open }) => {
  const start = useMock(open)

  it('include the fixtures and the created plants, with ids and access', async () => {
    const mock = await start({ fixtures: [fern] })
    await mock.fetch('/plants', post({ id: 9, name: 'Mint', tag: 'herb' }))
    expect(await mock.plants.all()).toEqual([fern, { id: 9, name: 'Mint', tag: 'herb', access: ['alice'] }])
    expect(await mock.plants.visibleTo('bob')).toEqual([fern])
    expect(await mock.plants.find(({ tag }) => tag === 'herb')).toMatchObject({ id: 9 })
    expect(await mock.plants.find(({ tag }) => tag === 'tree')).toBeUndefined()
  })

  it('do not change with the objects that the user passed', async () => {
    const ivy = { name: 'Ivy', tag: 'climber', access: ['alice'] }
    const oak = { name: 'Oak', tag: 'tree', access: ['alice'] }
    const mock = await start({ fixtures: [ivy] })
    await mock.seed([oak])
    ivy.access.push('bob')
    oak.name = 'Elm'
    oak.access.push('bob')
    expect(await mock.plants.visibleTo('bob')).toEqual([])
    expect((await mock.plants.visibleTo('alice')).map(({ name }) => name)).toEqual(['Ivy', 'Oak'])
  })

  it('come from any iterable', async () => {
    const mock = await start({ fixtures: new Set([fern]) })
    await mock.seed(new Set([aloe]))
    expect(await mock.plants.all()).toEqual([fern, aloe])
    await mock.replaceFixtures([aloe].values())
    expect(await mock.plants.all()).toEqual([aloe])
  })

  it('are seeded all or not at all', async () => {
    const mock = await start({ fixtures: [fern] })
    await mock.seed([aloe])
    const bad = { name: 7 } as unknown as typeof fern
    await expect(mock.seed([fern, bad])).rejects.toThrow(
      new PlantMockError('Invalid fixture at index 1: name must be a string, not a number.'),
    )
    expect(await mock.plants.all()).toEqual([fern, aloe])
  })

  it('may have no tag where create.required does not name it', async () => {
    const mock = await start({ fixtures: [fern] })
    const refusal = /"Ivy" has no tag, which create\.required=name\+id\+tag requires/
    await expect(mock.seed([{ id: 2, name: 'Ivy' }])).rejects.toThrow(refusal)
    await expect(mock.replaceFixtures([{ id: 2, name: 'Ivy' }])).rejects.toThrow(refusal)
    await expect(mock.plants.update({ id: fern.id }, { tag: null })).rejects.toThrow(/has no tag/)
    await mock.assume({ 'create.required': 'name', 'create.missingTag': 'omit' })
    await mock.seed([{ id: 2, name: 'Ivy' }])
    await mock.fetch('/plants', post({ name: 'Oak' }))
    await mock.fetch('/plants', post({ id: 3, name: 'Elm', tag: '' }))
    const oak = { name: 'Oak', access: ['alice'] }
    expect(await mock.plants.all()).toEqual([
      fern,
      { id: 2, name: 'Ivy' },
      oak,
      { id: 3, name: 'Elm', tag: '', access: ['alice'] },
    ])
    expect(await listPlants(mock)).toEqual([
      { name: fern.name, tag: fern.tag },
      { name: 'Ivy' },
      { name: 'Oak' },
      { name: 'Elm', tag: '' },
    ])
    const restore = await mock.snapshot()
    await mock.plants.update({ tag: null }, { tag: 'climber' })
    await mock.plants.update({ id: fern.id }, { tag: null })
    expect((await mock.plants.all()).map(({ tag }) => tag)).toEqual([undefined, 'climber', 'climber', ''])
    await restore()
    expect((await mock.plants.all()).map(({ tag }) => tag)).toEqual([fern.tag, undefined, undefined, ''])
  })

  it('have ids of 64 bits where create.idRange is int64', async () => {
    const mock = await start()
    const large = [9007199254740993n, 9007199254740992n, -(2n ** 63n), 2n ** 63n - 1n]
    const seeded = large.slice(2).map((id) => ({ id, name: `${id}`, tag: 't', access: ['alice'] }))
    await expect(mock.seed(seeded)).rejects.toThrow(
      /the id -9223372036854775808, which is beyond create\.idRange=safe-integer/,
    )
    await mock.assume({ 'create.idRange': 'int64', 'list.order': 'id' })
    await mock.seed(seeded)
    const create = (id: bigint) => mock.fetch('/plants', post(`{"id":${id},"name":"${id}","tag":"t"}`))
    expect((await create(2n ** 63n)).status).toBe(400)
    expect([(await create(9007199254740993n)).status, (await create(9007199254740992n)).status]).toEqual([201, 201])
    expect((await create(9007199254740993n)).status).toBe(409)
    const ids = async () => (await mock.plants.all()).map(({ id }) => id)
    expect(await ids()).toEqual([-(2n ** 63n), 2n ** 63n - 1n, 9007199254740993n, 9007199254740992n])
    expect(await listPlants(mock)).toMatchObject([
      { name: '-9223372036854775808' },
      { name: '9007199254740992' },
      { name: '9007199254740993' },
      { name: '9223372036854775807' },
    ])
    expect(await mock.plants.update({ id: 9007199254740993n }, { id: 9007199254740995n })).toBe(1)
    expect(await mock.plants.remove({ id: 9007199254740992n })).toBe(1)
    expect(await ids()).toEqual([-(2n ** 63n), 2n ** 63n - 1n, 9007199254740995n])
    await mock.assume({ 'create.idRange': 'int32' })
    expect((await create(2n ** 31n)).status).toBe(400)
    expect((await create(2n ** 31n - 1n)).status).toBe(201)
  })

  it('are restored from a snapshot repeatedly, with the assumptions', async () => {
    const mock = await start({ fixtures: [fern] })
    await mock.assume({ 'list.order': 'newest' })
    const restore = await mock.snapshot()
    for (let round = 0; round < 2; round++) {
      await mock.seed([aloe])
      await mock.assume({ 'list.order': 'name' })
      await restore()
      expect(await mock.plants.all()).toEqual([fern])
      expect(await mock.assumptions()).toMatchObject({ 'list.order': 'newest' })
    }
  })

  it('can be replaced by load, and a reset restores the loaded ones', async () => {
    const mock = await start({ fixtures: [fern] })
    await mock.replaceFixtures([aloe])
    await mock.seed([fern])
    await mock.reset()
    expect(await mock.plants.all()).toEqual([aloe])
  })

  it('can be changed by values of fields or by a function, and keep their positions', async () => {
    const mock = await start({ fixtures: [fern, aloe, { id: 30, name: 'Mint', tag: 'herb', access: ['alice'] }] })
    expect(await mock.plants.update({ id: 30 }, { name: 'Sage', access: null })).toBe(1)
    expect(await mock.plants.update(({ tag }) => tag === fern.tag, { tag: 'changed', access: ['bob', 'alice'] })).toBe(
      1,
    )
    expect(await mock.plants.update({ access: ['alice', 'bob'] }, { id: null })).toBe(1)
    expect(await mock.plants.update({ name: 'none' }, { tag: 'x' })).toBe(0)
    const { id: _, ...withoutId } = fern
    expect(await mock.plants.all()).toEqual([
      { ...withoutId, tag: 'changed', access: ['bob', 'alice'] },
      aloe,
      { id: 30, name: 'Sage', tag: 'herb' },
    ])
    expect(await mock.plants.all({ tag: 'herb', access: null })).toEqual([{ id: 30, name: 'Sage', tag: 'herb' }])
    expect(await mock.plants.find({ id: null })).toMatchObject({ tag: 'changed' })
    expect(await listPlants(mock, 'bob')).toHaveLength(2)
    expect(await listPlants(mock, 'carol')).toHaveLength(1)
  })

  it('can be removed, and cleared; a reset restores the fixtures', async () => {
    const mock = await start({ fixtures: [fern, aloe] })
    await mock.seed([fern, fern])
    expect(await mock.plants.remove({ id: aloe.id })).toBe(1)
    expect(await mock.plants.remove(({ id }) => id === fern.id)).toBe(3)
    expect(await listPlants(mock)).toEqual([])
    expect((await mock.fetch('/plants', post(fern))).status).toBe(201)
    await mock.plants.clear()
    expect(await mock.plants.all()).toEqual([])
    await mock.reset()
    expect(await mock.plants.all()).toEqual([fern, aloe])
  })

  it('may repeat an id in fixtures, seeds and patches alike; a create may not, which create.duplicateId decides', async () => {
    const mock = await start({ fixtures: [fern, fern, aloe] })
    await mock.seed([fern])
    expect(await mock.plants.update({ id: aloe.id }, { id: fern.id })).toBe(1)
    expect((await mock.plants.all()).map(({ id }) => id)).toEqual(Array(4).fill(fern.id))
    expect((await mock.fetch('/plants', post(fern))).status).toBe(409)
  })

  it.each<[why: string, filter: unknown, patch: unknown, message: string]>([
    [
      'has an unknown field',
      {},
      { nmae: 'x' },
      'Unknown field "nmae" in the patch. Did you mean "name"? A plant has id, name, tag, access.',
    ],
    ['has a value of another type', {}, { tag: 7 }, 'Invalid patch: tag must be a string, not a number.'],
    [
      'has no value for a field',
      { id: undefined },
      {},
      'The filter has id without a value. Leave id out, or use null for none.',
    ],
    [
      'has a filter with an unknown field',
      { tga: 'x' },
      {},
      'Unknown field "tga" in the filter. Did you mean "tag"? A plant has id, name, tag, access.',
    ],
    ['has no fields', 'fern', {}, 'Pass a filter such as { id: 3 } or a function; clear() removes all plants.'],
  ])('do not change when an update %s', async (_, filter, patch, message) => {
    const mock = await start({ fixtures: [fern, aloe] })
    await expect(mock.plants.update(filter as PlantFields, patch as PlantPatch)).rejects.toMatchObject({
      name: 'PlantMockError',
      message,
    })
    expect(await mock.plants.all()).toEqual([fern, aloe])
  })

  it('stay hidden from lists when they are changed while create.visibility hides them', async () => {
    const mock = await start({ assume: { 'create.visibility': 'after-lists:2' } })
    await mock.fetch('/plants', post({ id: 9, name: 'Mint', tag: 'herb' }))
    await mock.fetch('/plants', post({ id: 10, name: 'Sage', tag: 'herb' }))
    await mock.plants.update({ id: 9 }, { name: 'Thyme' })
    await mock.plants.remove({ id: 10 })
    expect(await listPlants(mock)).toEqual([])
    expect(await listPlants(mock)).toEqual([])
    expect(await listPlants(mock)).toEqual([{ name: 'Thyme', tag: 'herb' }])
  })

  it.each([[undefined], [null], [5], [['alice']], [Symbol('s')]])('are visible to no caller %j', async (caller) => {
    const mock = await start({ fixtures: [fern] })
    await expect(mock.plants.visibleTo(caller as never)).rejects.toThrow(
      new PlantMockError('visibleTo() needs the token of a caller, such as "alice".'),
    )
  })
})
