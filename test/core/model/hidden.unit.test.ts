import { describe, expect, it } from 'vitest'
import { hiddenPlants } from '../../../src/core/operations/hidden-plants.ts'
import type { StoredPlant } from '../../../src/core/store/plant-store.ts'

const [a, b] = ['a', 'b'].map((name) => ({ name, tag: 't' }) as StoredPlant) as [StoredPlant, StoredPlant]

describe('a created plant', () => {
  it('that is visible at once is never hidden, but its creator is known', () => {
    const hidden = hiddenPlants()
    hidden.add('alice', a, 'immediate')
    expect([...hidden.take('alice'), ...hidden.peek('alice')]).toEqual([])
    expect([hidden.hasCreated('alice'), hidden.hasCreated('bob')]).toEqual([true, false])
  })

  it('is left out of as many lists of its creator, each of which counts; to look does not', () => {
    const hidden = hiddenPlants()
    hidden.add('alice', a, 'after-lists:2')
    hidden.add('alice', b, 'eventual')
    expect([...hidden.peek('alice')]).toEqual([a, b])
    expect([...hidden.take('bob'), ...hidden.peek('bob')]).toEqual([])
    expect([...hidden.take('alice')]).toEqual([a, b])
    expect([...hidden.peek('alice')]).toEqual([a])
    expect([...hidden.take('alice')]).toEqual([a])
    expect([...hidden.peek('alice')]).toEqual([])
    expect([...hidden.take('alice')]).toEqual([])
  })

  it('is left out until its time has come', () => {
    let now = 1_000
    const hidden = hiddenPlants(() => now)
    hidden.add('alice', a, 'after-ms:500')
    now = 1_499
    expect([[...hidden.peek('alice')], [...hidden.take('alice')]]).toEqual([[a], [a]])
    now = 1_500
    expect([[...hidden.peek('alice')], [...hidden.take('alice')]]).toEqual([[], []])
  })

  it('is forgotten with its creator', () => {
    const hidden = hiddenPlants()
    hidden.add('alice', a, 'eventual')
    hidden.clear()
    expect([...hidden.peek('alice')]).toEqual([])
    expect(hidden.hasCreated('alice')).toBe(false)
  })
})
