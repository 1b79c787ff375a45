import { startPlantMock } from 'plant-mock/node'
import { sharedState } from 'plant-mock/redis'
import { describe, expect, it, vi } from 'vitest'
import { skipsRedis } from '../../support/redis-server.ts'
import { storeOfItsOwn } from '../../support/replicas.ts'
import { as, post } from '../../support/targets.ts'

describe.skipIf(skipsRedis)('a mock on a store is used and closed, and leaves no rejected command behind,', () => {
  it.each([
    ['where the global object has no setImmediate, as in jsdom', () => vi.stubGlobal('setImmediate', undefined)],
    ['under fake timers that a test installs', () => vi.useFakeTimers()],
  ])('%s', async (_, replaceGlobals) => {
    const { mock, close } = await startPlantMock({ store: sharedState(await storeOfItsOwn()), fixtures: [] })
    replaceGlobals()
    try {
      const plant = { id: 1, name: 'Fern', tag: 'fern' }
      expect((await mock.fetch('/plants', post(plant))).status).toBe(201)
      expect(await (await mock.fetch('/plants', as('alice'))).json()).toHaveLength(1)
      await close()
    } finally {
      vi.unstubAllGlobals()
      vi.useRealTimers()
    }
  })
})
