import type { FixturePlant, PlantDraft } from '../contract/schemas.ts'
import type { StoredPlant } from './plant-store.ts'

/** A plant of the memory store. */
export type TableRow = StoredPlant & {
  /** Sequence number: the position in the order of all plants, kept on replacement. */
  readonly seq: number
}

export const toRow = (
  seq: number,
  { id, name, tag }: PlantDraft | FixturePlant,
  access: TableRow['access'],
): TableRow => ({
  seq,
  id,
  name,
  tag,
  access,
  json: undefined,
})
