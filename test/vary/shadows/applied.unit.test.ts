import { describe, expect, it } from 'vitest'
import type { Assume } from '../../../src/core/assumptions/registry.ts'
import { createInternalMock } from '../../../src/core/mock/create-plant-mock.ts'
import type { Alternative, EvidenceLog } from '../../../src/vary/shadows/evidence.ts'
import { evidenceObserver } from '../../../src/vary/shadows/observer.ts'
import { as } from '../../support/targets.ts'

const headers = { ...as('alice').headers, 'content-type': 'application/json' }

/** A mock under alternatives in the exchanges of these names, and the numbers of the exchanges that differ. */
const applied = (alternatives: readonly Alternative[], exchanges: readonly string[], assume: Assume = {}) => {
  const counts = new Map<string, number>()
  const differing: number[] = []
  const evidence: EvidenceLog = {
    alternatives: [],
    now: Date.now,
    count(what) {
      counts.set(what, (counts.get(what) ?? 0) + 1)
      return counts.get(what) ?? 0
    },
    write() {},
    writeDifference: (_, { exchange = 0 }) => differing.push(exchange),
    close() {},
  }
  const fixtures = [1, 2, 3].map((id) => ({ id, name: `plant ${id}`, tag: 't' }))
  const mock = createInternalMock(
    { fixtures, assume, onNotice() {} },
    { observer: evidenceObserver(evidence, { alternatives, exchanges }, {}), fixed: [] },
  )
  const create = (id: number, name = 'Hoya') =>
    mock.fetch('/plants', { method: 'POST', headers, body: JSON.stringify({ id, name, tag: 't' }) })
  const names = async () => {
    const plants = (await (await mock.fetch('/plants?limit=9', { headers })).json()) as readonly { name: string }[]
    return plants.map(({ name }) => name).join()
  }
  return { mock, create, names, differing }
}

const status: Alternative = { id: 'create.status', value: 200 }

describe('a mock that is under alternatives in some exchanges', () => {
  it('replies to these as under them, and notes all that differ', async () => {
    const { create, names, differing } = applied([status], ['createPlant 2'])
    expect([(await create(7)).status, (await create(8)).status, (await create(9)).status]).toEqual([201, 200, 201])
    expect(await names()).toBe('plant 1,plant 2,plant 3,Hoya,Hoya,Hoya')
    expect(differing).toEqual([1, 2, 3])
  })

  it('keeps what the service stores that replies', async () => {
    const { create, names, differing } = applied([{ id: 'create.duplicateId', value: 'replace' }], ['createPlant 2'])
    await create(1, 'not stored')
    await create(2, 'stored')
    expect(await names()).toBe('plant 1,stored,plant 3')
    expect(differing).toEqual([1, 2])
  })

  it('counts each request under either service', async () => {
    const { names, create, differing } = applied([{ id: 'rate.limit', value: 'every:3' }], ['createPlant 6'])
    for (let id = 4; id < 9; id++) await create(id)
    expect((await create(9)).status).toBe(429)
    expect([await names(), differing]).toEqual(['plant 1,plant 2,plant 3,Hoya,Hoya,Hoya,Hoya,Hoya', [3, 6]])
  })

  it('applies several alternatives at once', async () => {
    const { create, names } = applied(
      [status, { id: 'list.order', value: 'newest' }],
      ['createPlant 1', 'listPlants 1'],
    )
    expect((await create(7)).status).toBe(200)
    expect(await names()).toBe('Hoya,plant 3,plant 2,plant 1')
  })

  it('hides a plant that was created as the alternative says, until a reset', async () => {
    const { mock, create, names } = applied(
      [{ id: 'create.visibility', value: 'after-lists:2' }],
      [1, 2, 3, 4].map((list) => `listPlants ${list}`),
    )
    await create(7)
    expect([await names(), await names()]).toEqual(Array(2).fill('plant 1,plant 2,plant 3'))
    await create(8)
    expect(await names()).toBe('plant 1,plant 2,plant 3,Hoya')
    await mock.reset()
    expect(await names()).toBe('plant 1,plant 2,plant 3')
  })

  it('leaves alone what a test sets itself, until a reset', async () => {
    const { mock, create } = applied([status], ['createPlant 1', 'createPlant 2'])
    await mock.assume({ 'create.status': 202 })
    expect((await create(7)).status).toBe(202)
    await mock.reset()
    expect((await create(7)).status).toBe(200)
  })
})
