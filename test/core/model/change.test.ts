import { createPlantMock, memoryStore, PlantMockError, type PlantStore } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { as } from '../../support/targets.ts'

const mint = { id: 1, name: 'Mint', tag: 'herb' }

describe('a store without the method change', () => {
  const open = () => {
    const { change: _, ...store } = memoryStore()
    return createPlantMock({ store: store as PlantStore, fixtures: [mint] })
  }

  it('makes update and remove fail with what to do', async () => {
    const mock = open()
    const message =
      'The store of this mock cannot change plants: it has no method change. Add one (guide: src/guides/stores.md), or replace all plants with load.'
    await expect(mock.plants.update({ id: 1 }, { tag: 'x' })).rejects.toThrow(new PlantMockError(message))
    await expect(mock.plants.remove({ id: 1 })).rejects.toThrow(new PlantMockError(message))
    expect(await mock.plants.all()).toEqual([mint])
  })

  it('can be cleared', async () => {
    const mock = open()
    await mock.plants.clear()
    expect(await mock.plants.all()).toEqual([])
  })
})

describe('the memory store', () => {
  it('knows a caller as long as a plant names it', async () => {
    const mock = createPlantMock({ assume: { 'auth.tokens': 'listed' }, fixtures: [{ ...mint, access: ['alice'] }] })
    const status = async (caller: string) => (await mock.fetch('/plants', as(caller))).status
    await mock.plants.update({ id: 1 }, { access: ['bob'] })
    expect([await status('alice'), await status('bob')]).toEqual([401, 200])
    await mock.plants.remove({})
    expect(await status('bob')).toBe(401)
  })

  it('lets sessions and snapshots keep the plants that another one removes', async () => {
    const mock = createPlantMock({ fixtures: [mint, { ...mint, id: 2 }] })
    const restore = await mock.snapshot()
    const session = mock.session('one')
    await mock.plants.remove({ id: 1 })
    await session.plants.update({ id: 2 }, { name: 'Sage' })
    expect((await mock.plants.all()).map(({ id, name }) => [id, name])).toEqual([[2, 'Mint']])
    expect((await session.plants.all()).map(({ name }) => name)).toEqual(['Mint', 'Sage'])
    await restore()
    expect(await mock.plants.all()).toHaveLength(2)
  })
})
