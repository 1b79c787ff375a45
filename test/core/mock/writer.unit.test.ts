import { describe, expect, it } from 'vitest'
import type { WritePlants } from '../../../src/core/mock/cell.ts'
import { createInternalMock } from '../../../src/core/mock/create-plant-mock.ts'
import type { PlantMockOptions } from '../../../src/core/mock/options.ts'
import { StorageError } from '../../../src/util/errors.ts'
import { fern } from '../../support/plants.ts'
import { as, post } from '../../support/targets.ts'

const mockWith = (write: WritePlants, options: PlantMockOptions = {}) => createInternalMock(options, { write })
const fail = (error: unknown) => () => {
  throw error
}
const reject = (error: unknown) => () => Promise.reject(error)
const plant = { id: 1, name: 'n', tag: 't' }

describe('a writer that fails', () => {
  it.each([
    ['throws', fail(new Error('why')), 'why'],
    ['rejects', reject(new Error('why')), 'why'],
    ['rejects with anything', reject('why'), 'why'],
  ])('and %s makes the create 500 with the reason, and the plant is not there', async (_, write, detail) => {
    const mock = mockWith(write, { fixtures: [fern] })
    const response = await mock.fetch('/plants', post(plant))
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { type: 'urn:problem-type:plant-mock:internal-error', detail },
    ])
    expect(await mock.requests.last()).toMatchObject({ operation: 'createPlant', caller: 'caller-1' })
    expect([await mock.plants.all(), (await mock.fetch('/plants', as('alice'))).status]).toEqual([[fern], 200])
  })

  it.each([
    [new StorageError('full', 'insufficient-storage'), 507, 'insufficient-storage'],
    [new StorageError('broken'), 500, 'internal-error'],
  ])('with %s has the problem of the error', async (error, status, problem) => {
    const mock = mockWith(reject(error))
    expect((await mock.fetch('/plants', post(plant))).status).toBe(status)
    expect(await mock.requests.last()).toMatchObject({ problem })
  })

  it('makes a command reject, and it changes nothing and tells nobody', async () => {
    const mock = mockWith(reject(new Error('why')), { fixtures: [fern] })
    await mock.fetch('/plants', as('alice'))
    const events: unknown[] = []
    mock.instances.root.events.listen((event) => events.push(event))
    for (const change of [
      () => mock.seed([plant]),
      () => mock.replaceFixtures([plant]),
      () => mock.plants.update({}, { tag: 'x' }),
      () => mock.plants.remove({}),
      () => mock.plants.clear(),
    ])
      await expect(change()).rejects.toThrow('why')
    expect([await mock.plants.all(), events]).toEqual([[fern], []])
  })

  it('makes a reset reject, which keeps plants, assumptions and journal', async () => {
    let isBroken = false
    const mock = mockWith(() => (isBroken ? Promise.reject(new Error('why')) : undefined), { fixtures: [fern] })
    await mock.fetch('/plants', post(plant))
    await mock.assume({ 'list.order': 'newest' })
    isBroken = true
    await expect(mock.reset()).rejects.toThrow('why')
    expect([await mock.plants.all(), await mock.requests.count()]).toMatchObject([[fern, plant], 1])
    expect(await mock.assumptions()).toMatchObject({ 'list.order': 'newest' })
  })
})

describe('a writer that takes time', () => {
  const writing = async (options: PlantMockOptions = {}) => {
    const waiting: (() => void)[] = []
    const lengths: number[] = []
    let hasBegun: () => void = () => undefined
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve
    })
    const mock = mockWith(async (before, after) => {
      lengths.push(before.length, after.length)
      hasBegun()
      await new Promise<void>((resolve) => waiting.push(resolve))
    }, options)
    const first = mock.fetch('/plants', post(plant))
    await begun
    const release = async <T>(others: Promise<T>): Promise<T> => {
      const isDone = Promise.all([first, others]).then(() => true)
      while (!(await Promise.race([isDone, new Promise((resolve) => setImmediate(resolve, false))])))
        for (const resolve of waiting.splice(0)) resolve()
      return others
    }
    return { mock, lengths, release }
  }

  it('makes later requests wait, which see the plants that it has written', async () => {
    const { mock, lengths, release } = await writing()
    const requests = [as('alice'), post(plant), post({ ...plant, id: 2 })]
    const [list, ...creates] = await release(Promise.all(requests.map((init) => mock.fetch('/plants', init))))
    expect(creates.map(({ status }) => status)).toEqual([409, 201])
    expect(await list?.json()).toContainEqual({ name: 'n', tag: 't' })
    expect([lengths, (await mock.plants.all()).length]).toEqual([[0, 1, 1, 2], 2])
  })

  it('makes commands wait too, and loses none', async () => {
    const { mock, release } = await writing({ fixtures: [fern] })
    const commands: readonly Promise<unknown>[] = [
      mock.assume({ 'create.status': 200 }),
      mock.plants.update({ id: 1 }, { tag: 'changed' }),
      mock.fail({ status: 503, times: 1 }),
      mock.plants.remove({ id: fern.id }),
    ]
    await release(Promise.all(commands))
    expect(await mock.plants.all()).toMatchObject([{ id: 1, tag: 'changed' }])
    expect([await mock.assumptions(), await mock.pending()]).toMatchObject([
      { 'create.status': 200 },
      [{ remaining: 1 }],
    ])
  })

  it('loses no hit of a fault that another request meets meanwhile', async () => {
    const { mock, release } = await writing({ faults: [{ operation: 'listPlants', status: 503, times: 1 }] })
    const lists = [as('alice'), as('alice')].map((init) => mock.fetch('/plants', init))
    await release(Promise.all(lists))
    expect((await mock.fetch('/plants', as('alice'))).status).toBe(200)
    expect(await mock.faults()).toMatchObject([{ hits: 1, remaining: 0 }])
  })
})
