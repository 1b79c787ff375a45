import type { MockInstance } from '../mock/instance.ts'
import { PlantMockError } from '../util/errors.ts'

/** Named snapshots, separate for each mock instance. */
export interface Snapshots {
  names(instance: MockInstance): readonly string[]
  /**
   * Takes a snapshot of plants and assumptions.
   * @param name Replaces the snapshot with this name. Default: an unused name such as `snapshot-1`.
   * @returns The name of the snapshot.
   * @throws PlantMockError when the instance has 1,000 snapshots and all of them were named by users.
   */
  take(instance: MockInstance, name?: string): Promise<string>
  /** False for an unknown name. */
  restore(instance: MockInstance, name: string): Promise<boolean>
  /** False for an unknown name. */
  drop(instance: MockInstance, name: string): boolean
}

/** Of each instance. Beyond it, the oldest snapshot with a generated name is evicted. */
const maxSnapshots = 1_000

type Snapshot = { readonly restore: () => Promise<void>; readonly isUserNamed: boolean }

export const createSnapshots = (): Snapshots => {
  const instances = new WeakMap<MockInstance, Map<string, Snapshot>>()
  let generatedNames = 0

  const snapshotsOf = (instance: MockInstance): Map<string, Snapshot> => {
    const snapshots = instances.get(instance) ?? new Map<string, Snapshot>()
    instances.set(instance, snapshots)
    return snapshots
  }

  const unusedName = (snapshots: Map<string, Snapshot>): string => {
    do generatedNames++
    while (snapshots.has(`snapshot-${generatedNames}`))
    return `snapshot-${generatedNames}`
  }

  const evictOldest = (snapshots: Map<string, Snapshot>): void => {
    if (snapshots.size < maxSnapshots) return
    const oldest = [...snapshots].find(([, { isUserNamed }]) => !isUserNamed)
    if (oldest === undefined)
      throw new PlantMockError(`All ${maxSnapshots} snapshots are in use. Delete one of them first.`)
    snapshots.delete(oldest[0])
  }

  return {
    names: (instance) => [...snapshotsOf(instance).keys()],
    async take(instance, name) {
      const snapshots = snapshotsOf(instance)
      if (name === undefined || !snapshots.has(name)) evictOldest(snapshots)
      const key = name ?? unusedName(snapshots)
      snapshots.set(key, { restore: await instance.snapshot(), isUserNamed: name !== undefined })
      return key
    },
    async restore(instance, name) {
      const snapshot = snapshotsOf(instance).get(name)
      await snapshot?.restore()
      return snapshot !== undefined
    },
    drop: (instance, name) => snapshotsOf(instance).delete(name),
  }
}
