import { describe, expect, it } from 'vitest'
import { Snapshots } from '../../src/control/snapshots.ts'
import type { MockInstance } from '../../src/mock/instance.ts'

/** An instance whose snapshots do nothing but note that they were restored. */
const instanceOf = () => {
  const restored: number[] = []
  let taken = 0
  const snapshot = async () => {
    const id = ++taken
    return async () => {
      restored.push(id)
    }
  }
  return { restored, instance: { snapshot } as unknown as MockInstance }
}

describe('the snapshots of an instance', () => {
  it('are restored and dropped by name; an unknown name is reported', async () => {
    const { instance, restored } = instanceOf()
    const snapshots = new Snapshots()
    expect(await snapshots.take(instance, 'mine')).toBe('mine')
    expect(await snapshots.take(instance)).toBe('snapshot-1')
    expect(await snapshots.restore(instance, 'mine')).toBe(true)
    expect(await snapshots.restore(instance, 'unknown')).toBe(false)
    expect(restored).toEqual([1])
    expect([snapshots.drop(instance, 'mine'), snapshots.drop(instance, 'mine')]).toEqual([true, false])
    expect(snapshots.names(instance)).toEqual(['snapshot-1'])
  })

  it('are separate from those of another instance', async () => {
    const snapshots = new Snapshots()
    const [one, other] = [instanceOf().instance, instanceOf().instance]
    await snapshots.take(one, 'mine')
    expect(snapshots.names(other)).toEqual([])
  })

  it('are at most 1,000: the oldest with a generated name is evicted', async () => {
    const { instance } = instanceOf()
    const snapshots = new Snapshots()
    await snapshots.take(instance, 'mine')
    for (let count = 1; count < 1_000; count++) await snapshots.take(instance)
    expect(snapshots.names(instance)).toHaveLength(1_000)
    await snapshots.take(instance, 'mine')
    expect(snapshots.names(instance)).toHaveLength(1_000)
    await snapshots.take(instance, 'another')
    expect(snapshots.names(instance).slice(0, 2)).toEqual(['mine', 'snapshot-2'])
    expect(snapshots.names(instance)).toHaveLength(1_000)
  })

  it('are refused beyond 1,000 that users named', async () => {
    const { instance } = instanceOf()
    const snapshots = new Snapshots()
    for (let count = 0; count < 1_000; count++) await snapshots.take(instance, `mine-${count}`)
    await expect(snapshots.take(instance)).rejects.toThrow('All 1000 snapshots are in use. Delete one of them first.')
    expect(await snapshots.take(instance, 'mine-0')).toBe('mine-0')
  })
})
