import { startPlantMock } from 'plant-mock/node'
import { sharedState } from 'plant-mock/redis'
import { describe, expect, it } from 'vitest'
import { skipsRedis, startRedis } from '../../support/redis-server.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'

const { closers } = useServers()

const callsIn = (stats: string): number => Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)

describe.skipIf(skipsRedis)('an exchange with the store', () => {
  it('is one script call for a GET and for a POST, and fewer when many arrive at once', async () => {
    const redis = await startRedis()
    closers.push(redis.close)
    const { url, close } = await startPlantMock({ store: sharedState({ url: redis.url }) })
    closers.push(close)
    /** `reads` is an upper bound: a replica reads the log once per second. */
    const count = async (exchanges: () => Promise<unknown>) => {
      const before = callsIn(await redis.command('INFO', 'commandstats'))
      const began = performance.now()
      await exchanges()
      const calls = callsIn(await redis.command('INFO', 'commandstats')) - before
      return { calls, reads: Math.ceil((performance.now() - began) / 1_000) }
    }
    const oneByOne = await count(async () => {
      for (let id = 0; id < 20; id++) {
        await fetch(`${url}/plants`, post({ id, name: 'Fern', tag: 't' }))
        await fetch(`${url}/plants?limit=3`, as('alice'))
      }
    })
    expect(oneByOne.calls).toBeGreaterThanOrEqual(40)
    expect(oneByOne.calls - oneByOne.reads).toBeLessThanOrEqual(40)
    const atOnce = await count(() => Promise.all(Array.from({ length: 40 }, () => fetch(`${url}/plants`, as('alice')))))
    expect(atOnce.calls - atOnce.reads).toBeLessThan(40)
  })
})
