import type { MockInstance } from '../mock/instance.ts'
import { PlantMockError } from '../util/errors.ts'

/** Snapshots under names, of each instance its own. */
export interface Snapshots {
  names(instance: MockInstance): readonly string[]
  /**
   * Remembers the instance as it is, and gives the name: the one wanted, or one that is free.
   * @throws PlantMockError when there are too many with names.
   */
  take(instance: MockInstance, name?: string): Promise<string>
  /** False when there is none of this name. */
  restore(instance: MockInstance, name: string): Promise<boolean>
  drop(instance: MockInstance, name: string): boolean
}

/** So many of each instance: of those without a wanted name, the oldest gives way. */
const most = 1_000

type Kept = { readonly restore: () => Promise<void>; readonly wanted: boolean }

export const createSnapshots = (): Snapshots => {
  const instances = new WeakMap<MockInstance, Map<string, Kept>>()
  let taken = 0

  const of = (instance: MockInstance): Map<string, Kept> => {
    const known = instances.get(instance)
    if (known !== undefined) return known
    const snapshots = new Map<string, Kept>()
    instances.set(instance, snapshots)
    return snapshots
  }

  const freeName = (snapshots: Map<string, Kept>): string => {
    do taken++
    while (snapshots.has(`snapshot-${taken}`))
    return `snapshot-${taken}`
  }

  const makeRoom = (snapshots: Map<string, Kept>): void => {
    if (snapshots.size < most) return
    const oldest = [...snapshots].find(([, { wanted }]) => !wanted)
    if (oldest === undefined)
      throw new PlantMockError(`There are ${most} snapshots with names. Delete one of them first.`)
    snapshots.delete(oldest[0])
  }

  return {
    names: (instance) => [...of(instance).keys()],
    async take(instance, name) {
      const snapshots = of(instance)
      if (name === undefined || !snapshots.has(name)) makeRoom(snapshots)
      const key = name ?? freeName(snapshots)
      snapshots.set(key, { restore: await instance.snapshot(), wanted: name !== undefined })
      return key
    },
    async restore(instance, name) {
      const kept = of(instance).get(name)
      await kept?.restore()
      return kept !== undefined
    },
    drop: (instance, name) => of(instance).delete(name),
  }
}
