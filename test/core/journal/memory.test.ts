import { createPlantMock, type PlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { mockOf } from '../../../src/core/mock/create-plant-mock.ts'
import { as, post } from '../../support/targets.ts'

describe('the memory of the journals of all sessions', () => {
  it('evicts the oldest bodies first, whichever session they belong to', async () => {
    const mock = createPlantMock({ sessions: 2 })
    const longName = 'x'.repeat(100_000)
    const fill = async (instance: PlantMock, count: number) => {
      for (let i = 0; i < count; i++) await instance.fetch('/plants', post({ id: i, name: longName, tag: 't' }))
    }
    await fill(mock, 100)
    const small = mock.session('small')
    await fill(small, 6)
    const bodies = (await small.requests.all()).map(({ request }) => request.body !== undefined)
    expect(bodies).toEqual([true, true, true, true, true, true])
    // Dropping a session frees its share of the budget; an adapter that still holds the instance keeps no bodies.
    const { root } = mock.session('dropped').instances
    await mock.sessions.drop('dropped')
    await fill(mockOf({ ...mock.instances, root, handlerFor: () => root }), 100)
    expect((await mock.requests.last())?.request.body).toBeDefined()
  })
})

describe('an evicted entry of the journal', () => {
  it('shows no part of a token that is longer than the truncated URL', async () => {
    const mock = createPlantMock()
    const token = `secret${'7x'.repeat(400)}`
    await mock.fetch(`/plants?jwt=${token}`, {
      headers: { ...as(token).headers, 'content-type': `text/plain; t=${token}` },
    })
    const longName = 'x'.repeat(1024 * 1024 - 100)
    for (let id = 0; id < 20; id++) await mock.fetch('/plants', post({ id, name: longName, tag: 't' }))
    const [first] = await mock.requests.all()
    expect(first?.url).toBe('/plants?jwt=caller-1')
    expect(JSON.stringify(first)).not.toContain('secret')
  })
})

describe('the pseudonyms of callers', () => {
  it('are unique until their tokens reach the memory limit; later callers share one', async () => {
    const mock = createPlantMock({ journal: 100 })
    for (let i = 0; i < 60; i++) await mock.fetch('/plants', as(`${i}${'x'.repeat(100_000)}`))
    await mock.fetch('/plants', as(`0${'x'.repeat(100_000)}`))
    await mock.fetch('/plants', as('short'))
    const callers = (await mock.requests.all()).map(({ caller }) => caller)
    expect([callers[0], callers[59], callers[60], callers[61]]).toEqual([
      'caller-1',
      'caller-other',
      'caller-1',
      'caller-42',
    ])
  })
})
