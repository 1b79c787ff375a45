import { expect, it } from 'vitest'
import { defaultAssumptions } from '../../../src/core/assumptions/registry.ts'
import { dropSnapshot, noSnapshots, type Snapshots, takeSnapshot } from '../../../src/core/mock/snapshots.ts'
import { Plants } from '../../../src/core/model/plants.ts'

const saved = { plants: Plants.none, assumptions: defaultAssumptions }
const take = (snapshots: Snapshots, name?: string) => takeSnapshot(snapshots, saved, name)
const taken = (names: readonly (string | undefined)[], before = noSnapshots): Snapshots =>
  names.reduce((snapshots, name) => take(snapshots, name).snapshots, before)
const namesOf = ({ byName }: Snapshots) => [...byName.keys()]

it('a snapshot has a generated name that no other has, also after one is dropped', () => {
  const snapshots = taken([undefined, 'snapshot-2', undefined])
  expect(namesOf(snapshots)).toEqual(['snapshot-1', 'snapshot-2', 'snapshot-3'])
  const fewer = dropSnapshot(snapshots, 'snapshot-3')
  expect([namesOf(fewer), take(fewer).name]).toEqual([['snapshot-1', 'snapshot-2'], 'snapshot-4'])
})

it('beyond 1,000 snapshots the oldest with a generated name is evicted', () => {
  const full = taken(['mine', ...Array(999).fill(undefined)])
  expect([full.byName.size, take(full, 'mine').snapshots.byName.size]).toEqual([1_000, 1_000])
  const { snapshots } = take(full, 'another')
  expect([snapshots.byName.size, namesOf(snapshots).slice(0, 2)]).toEqual([1_000, ['mine', 'snapshot-2']])
})

it('beyond 1,000 snapshots that users named none is taken, but one of them may be replaced', () => {
  const full = taken(Array.from({ length: 1_000 }, (_, i) => `mine-${i}`))
  expect(() => take(full)).toThrow('All 1000 snapshots are in use. Delete one of them first.')
  expect(take(full, 'mine-0').name).toBe('mine-0')
})
