import type { MockInstance } from '../mock/instance.ts'
import { PlantMockError } from '../util/errors.ts'

/** Of each instance. Beyond it, the oldest snapshot with a generated name is evicted. */
const maxSnapshots = 1_000

type Snapshot = { readonly restore: () => Promise<void>; readonly isUserNamed: boolean }

/** Named snapshots of plants and assumptions, separate for each mock instance. */
export class Snapshots {
  readonly #byInstance = new WeakMap<MockInstance, Map<string, Snapshot>>()
  #generatedNames = 0

  names(instance: MockInstance): readonly string[] {
    return [...this.#snapshotsOf(instance).keys()]
  }

  /**
   * @param name Replaces the snapshot with this name. Default: an unused name such as `snapshot-1`.
   * @returns The name of the snapshot.
   * @throws PlantMockError when the instance has 1,000 snapshots and all of them were named by users.
   */
  async take(instance: MockInstance, name?: string): Promise<string> {
    const snapshots = this.#snapshotsOf(instance)
    if (name === undefined || !snapshots.has(name)) evictOldest(snapshots)
    const key = name ?? this.#unusedName(snapshots)
    snapshots.set(key, { restore: await instance.snapshot(), isUserNamed: name !== undefined })
    return key
  }

  /** False for an unknown name. */
  async restore(instance: MockInstance, name: string): Promise<boolean> {
    const snapshot = this.#snapshotsOf(instance).get(name)
    await snapshot?.restore()
    return snapshot !== undefined
  }

  /** False for an unknown name. */
  drop(instance: MockInstance, name: string): boolean {
    return this.#snapshotsOf(instance).delete(name)
  }

  #snapshotsOf(instance: MockInstance): Map<string, Snapshot> {
    const snapshots = this.#byInstance.get(instance) ?? new Map<string, Snapshot>()
    this.#byInstance.set(instance, snapshots)
    return snapshots
  }

  #unusedName(snapshots: ReadonlyMap<string, Snapshot>): string {
    do this.#generatedNames++
    while (snapshots.has(`snapshot-${this.#generatedNames}`))
    return `snapshot-${this.#generatedNames}`
  }
}

const evictOldest = (snapshots: Map<string, Snapshot>): void => {
  if (snapshots.size < maxSnapshots) return
  const oldest = [...snapshots].find(([, { isUserNamed }]) => !isUserNamed)
  if (oldest === undefined)
    throw new PlantMockError(`All ${maxSnapshots} snapshots are in use. Delete one of them first.`)
  snapshots.delete(oldest[0])
}
