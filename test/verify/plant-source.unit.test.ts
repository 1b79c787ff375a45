import { expect, it } from 'vitest'
import { createPlantSource } from '../../src/verify/plant-source.ts'

it('the ids of a check from a given one on are different, and among the 10,000 of all checks', () => {
  for (let minute = 0; minute < 8; minute++) {
    const now = () => Date.UTC(2026, 0, 1, 0, minute)
    const source = createPlantSource(() => 0.5, now, { id: 10 })
    const ids = Array.from({ length: 1_000 }, () => source.newPlant().id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !Number.isInteger(id) || id < 10 || id > 10_009)).toEqual([])
  }
})
