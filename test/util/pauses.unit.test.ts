import { describe, expect, it, vi } from 'vitest'
import { pauses } from '../../src/util/pauses.ts'
import { seededRandom } from '../../src/util/random.ts'

describe('long work', () => {
  it('pauses each time that it has blocked the event loop for 50 ms', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
    try {
      const pause = pauses()
      now.mockReturnValue(1_049)
      expect(pause()).toBeUndefined()
      now.mockReturnValue(1_050)
      const paused = pause()
      expect(paused).toBeInstanceOf(Promise)
      now.mockReturnValue(1_100)
      await paused
      now.mockReturnValue(1_149)
      expect(pause()).toBeUndefined()
    } finally {
      now.mockRestore()
    }
  })
})

describe('random numbers', () => {
  it('of the same seed are those of mulberry32', () => {
    const random = seededRandom(1)
    expect([random(), random(), random()]).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522])
  })
})
