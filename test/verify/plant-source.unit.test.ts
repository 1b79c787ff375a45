import { describe, expect, it } from 'vitest'
import { createPlantSource } from '../../src/verify/plant-source.ts'

describe('the ids of a check in a given range', () => {
  it.each([2_000, 2_310, 2_520, 4_096, 30_030])('are different and in the range of %i numbers', (size) => {
    for (let minute = 0; minute < 8; minute++) {
      const now = () => Date.UTC(2026, 0, 1, 0, minute)
      const source = createPlantSource(() => 0.5, now, { ids: { from: 10, to: 9 + size } })
      const ids = Array.from({ length: 1_000 }, () => source.newPlant().id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.filter((id) => !Number.isInteger(id) || id < 10 || id > 9 + size)).toEqual([])
    }
  })
})
