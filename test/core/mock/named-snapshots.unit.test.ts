import { describe, expect, it } from 'vitest'
import { NamedSnapshots } from '../../../src/core/mock/named-snapshots.ts'

/** Snapshots that are numbers, and note which were restored. */
const numbered = () => {
  const restored: number[] = []
  let taken = 0
  const snapshots = new NamedSnapshots({
    capture: async () => ++taken,
    restore: async (id) => {
      restored.push(id)
    },
  })
  return { restored, snapshots }
}

describe('the snapshots of an instance', () => {
  it('are restored and dropped by name; an unknown name is reported', async () => {
    const { snapshots, restored } = numbered()
    expect(await snapshots.take('mine')).toBe('mine')
    expect(await snapshots.take()).toBe('snapshot-1')
    expect(await snapshots.restore('mine')).toBe(true)
    expect(await snapshots.restore('unknown')).toBe(false)
    expect(restored).toEqual([1])
    expect([snapshots.drop('mine'), snapshots.drop('mine')]).toEqual([true, false])
    expect(snapshots.names()).toEqual(['snapshot-1'])
  })

  it('are at most 1,000: the oldest with a generated name is evicted', async () => {
    const { snapshots } = numbered()
    await snapshots.take('mine')
    for (let count = 1; count < 1_000; count++) await snapshots.take()
    expect(snapshots.names()).toHaveLength(1_000)
    await snapshots.take('mine')
    expect(snapshots.names()).toHaveLength(1_000)
    await snapshots.take('another')
    expect(snapshots.names().slice(0, 2)).toEqual(['mine', 'snapshot-2'])
    expect(snapshots.names()).toHaveLength(1_000)
  })

  it('are refused beyond 1,000 that users named', async () => {
    const { snapshots } = numbered()
    for (let count = 0; count < 1_000; count++) await snapshots.take(`mine-${count}`)
    await expect(snapshots.take()).rejects.toThrow('All 1000 snapshots are in use. Delete one of them first.')
    expect(await snapshots.take('mine-0')).toBe('mine-0')
  })

  it('continue elsewhere from their dump', async () => {
    const { snapshots } = numbered()
    await snapshots.take()
    const { snapshots: others, restored } = numbered()
    others.load(snapshots.dump())
    expect(await others.take()).toBe('snapshot-2')
    expect(await others.restore('snapshot-1')).toBe(true)
    expect(restored).toEqual([1])
  })
})
