import { PlantMockError } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { mockAccesses, useMock } from '../support/mocks.ts'
import { aloe, fern } from '../support/plants.ts'
import { post } from '../support/targets.ts'

describe.each(mockAccesses)('the plants of a mock $name', ({ open }) => {
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
    await mock.load([aloe].values())
    expect(await mock.plants.all()).toEqual([aloe])
  })

  it('are seeded all or not at all', async () => {
    const mock = await start({ fixtures: [fern] })
    await mock.seed([aloe])
    const bad = { name: 7 } as unknown as typeof fern
    await expect(mock.seed([fern, bad])).rejects.toThrow(
      new PlantMockError('Invalid fixture at index 1: name must be a string, not a number; tag is required.'),
    )
    expect(await mock.plants.all()).toEqual([fern, aloe])
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
    await mock.load([aloe])
    await mock.seed([fern])
    await mock.reset()
    expect(await mock.plants.all()).toEqual([aloe])
  })
})
