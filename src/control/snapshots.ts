import { PlantMockError } from '../util/errors.ts'
import type { World } from '../mock/instance.ts'

/** Snapshots under names, of each world its own. */
export interface Snapshots {
  names(world: World): readonly string[]
  /**
   * Remembers the world as it is, and gives the name: the one wanted, or one that is free.
   * @throws PlantMockError when there are too many with names.
   */
  take(world: World, name?: string): Promise<string>
  /** False when there is none of this name. */
  restore(world: World, name: string): Promise<boolean>
  drop(world: World, name: string): boolean
}

/** So many of each world: of those without a wanted name, the oldest gives way. */
const most = 1_000

type Kept = { readonly restore: () => Promise<void>; readonly wanted: boolean }

export const createSnapshots = (): Snapshots => {
  const worlds = new WeakMap<World, Map<string, Kept>>()
  let taken = 0

  const of = (world: World): Map<string, Kept> => {
    const known = worlds.get(world)
    if (known !== undefined) return known
    const snapshots = new Map<string, Kept>()
    worlds.set(world, snapshots)
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
    names: (world) => [...of(world).keys()],
    async take(world, name) {
      const snapshots = of(world)
      if (name === undefined || !snapshots.has(name)) makeRoom(snapshots)
      const key = name ?? freeName(snapshots)
      snapshots.set(key, { restore: await world.snapshot(), wanted: name !== undefined })
      return key
    },
    async restore(world, name) {
      const kept = of(world).get(name)
      await kept?.restore()
      return kept !== undefined
    },
    drop: (world, name) => of(world).delete(name),
  }
}
