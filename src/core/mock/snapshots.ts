import { PlantMockError } from '../../util/errors.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Plants } from '../model/plants.ts'

const maxSnapshots = 1_000

export type Saved = { readonly plants: Plants; readonly assumptions: Assumptions }

type Snapshot = Saved & { readonly isUserNamed: boolean }

export type Snapshots = {
  readonly byName: ReadonlyMap<string, Snapshot>
  readonly generatedNames: number
}

export const noSnapshots: Snapshots = { byName: new Map(), generatedNames: 0 }

export const takeSnapshot = (
  { byName, generatedNames }: Snapshots,
  { plants, assumptions }: Saved,
  given: string | undefined,
): { readonly snapshots: Snapshots; readonly name: string } => {
  const kept = new Map(byName)
  if (kept.size >= maxSnapshots && (given === undefined || !kept.has(given))) kept.delete(oldestGenerated(kept))
  let generated = generatedNames
  if (given === undefined)
    do generated++
    while (kept.has(`snapshot-${generated}`))
  const name = given ?? `snapshot-${generated}`
  kept.set(name, { plants, assumptions, isUserNamed: given !== undefined })
  return { snapshots: { byName: kept, generatedNames: generated }, name }
}

const oldestGenerated = (byName: ReadonlyMap<string, Snapshot>): string => {
  const oldest = [...byName].find(([, { isUserNamed }]) => !isUserNamed)
  if (oldest === undefined)
    throw new PlantMockError(`All ${maxSnapshots} snapshots are in use. Delete one of them first.`)
  return oldest[0]
}

export const dropSnapshot = (snapshots: Snapshots, name: string): Snapshots => ({
  ...snapshots,
  byName: new Map([...snapshots.byName].filter(([other]) => other !== name)),
})
