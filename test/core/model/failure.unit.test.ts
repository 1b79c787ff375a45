import { describe, expect, it } from 'vitest'
import { createPlantMock } from '../../../src/core/mock/create-plant-mock.ts'
import { memoryStore } from '../../../src/core/store/memory-store.ts'
import type { PlantStore } from '../../../src/core/store/plant-store.ts'
import { StorageError } from '../../../src/util/errors.ts'
import { as, post } from '../../support/targets.ts'

const mockWith = (store: Partial<PlantStore>) => createPlantMock({ store: { ...memoryStore(), ...store } })
const fail = (error: unknown) => () => {
  throw error
}
const reject = (error: unknown) => () => Promise.reject(error)
const plant = { id: 1, name: 'n', tag: 't' }

describe('a store that fails', () => {
  it.each([
    ['throws', fail(new Error('why')), 'why'],
    ['rejects', reject(new Error('why')), 'why'],
    ['rejects with anything', reject('why'), 'why'],
  ])('and %s makes the response 500 with the reason', async (_, list, detail) => {
    const mock = mockWith({ list })
    const response = await mock.fetch('/plants', as('alice'))
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { type: 'urn:problem-type:plant-mock:internal-error', detail },
    ])
    expect(await mock.requests.last()).toMatchObject({ operation: 'listPlants', caller: 'caller-1' })
  })

  it.each([
    [new StorageError('full', 'insufficient-storage'), 507, 'insufficient-storage'],
    [new StorageError('broken'), 500, 'internal-error'],
  ])('with %s has the problem of the error', async (error, status, problem) => {
    const mock = mockWith({ create: reject(error) })
    expect((await mock.fetch('/plants', post(plant))).status).toBe(status)
    expect(await mock.requests.last()).toMatchObject({ problem })
  })
})
