import { PlantMockError } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { mockAccesses, useMock } from '../support/mocks.ts'
import { aloe, fern } from '../support/plants.ts'
import { as } from '../support/targets.ts'

describe.each(mockAccesses)('the sessions of a mock $name', ({ open }) => {
  const start = useMock(open)

  it('have separate plants, journals, faults and assumptions with the same initial state', async () => {
    const mock = await start({ fixtures: [fern], assume: { 'list.order': 'newest' } })
    const other = mock.session('other')
    await other.seed([aloe])
    await other.assume({ 'create.status': 200 })
    await other.fail({ operation: 'listPlants', status: 503 })
    await other.fetch('/plants', as('alice'))
    expect(await other.plants.all()).toEqual([fern, aloe])
    expect(await other.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'newest' })
    expect(await mock.plants.all()).toEqual([fern])
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 201 })
    expect(await mock.faults()).toEqual([])
    expect(await mock.requests.all()).toEqual([])
    expect(await other.requests.count()).toBe(1)
  })

  it('are identified by their id, also from another session', async () => {
    const mock = await start()
    await mock.session('one').seed([fern])
    expect(await mock.session('two').session('one').plants.all()).toEqual([fern])
  })

  it('are listed, and dropped with their state', async () => {
    const mock = await start()
    await mock.session('one').seed([fern])
    await mock.session('two').fetch('/plants', as('alice'))
    expect(await mock.sessions.all()).toEqual(
      expect.arrayContaining([
        { id: 'one', requests: 0 },
        { id: 'two', requests: 1 },
      ]),
    )
    expect([await mock.sessions.drop('one'), await mock.sessions.drop('one')]).toEqual([true, false])
    expect(await mock.session('one').plants.all()).toEqual([])
  })

  it.each(['', ' a', 'ä', 'a\nb', 'x'.repeat(201)])('refuse the id %j', async (id) => {
    const mock = await start()
    expect(() => mock.session(id)).toThrow(PlantMockError)
  })
})
