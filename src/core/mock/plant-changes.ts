import { PlantMockError } from '../../util/errors.ts'
import type { Caller } from '../contract/schemas.ts'
import type { PlantChanges, StoredPlant } from '../store/plant-store.ts'
import { accessText, type PlantPatch, parseFields } from './plant-filter.ts'

/** Decides which plants change, and how. */
export type DecideChanges = (plants: Iterable<StoredPlant>) => PlantChanges

export const removal =
  (matches: (plant: StoredPlant) => boolean): DecideChanges =>
  (plants) => {
    const changes = new Map<StoredPlant, undefined>()
    for (const plant of plants) if (matches(plant)) changes.set(plant, undefined)
    return changes
  }

/**
 * @param keyOf Maps a token to the key that `access` has instead of it.
 * @throws PlantMockError for an invalid patch. The result throws one when two plants that a caller may access would have
 *   one id.
 */
export const patching = (
  matches: (plant: StoredPlant) => boolean,
  patch: PlantPatch,
  keyOf: (caller: Caller) => Caller,
): DecideChanges => {
  const { access: given, ...fields } = parseFields(patch, 'patch')
  // perf: one array for all plants that change.
  const access = given && [...new Set(given.map(keyOf))]
  const patched = (plant: StoredPlant): StoredPlant => ({
    id: fields.id === undefined ? plant.id : (fields.id ?? undefined),
    name: fields.name ?? plant.name,
    tag: fields.tag ?? plant.tag,
    // The same array: a store sees that the access stays.
    access: access === undefined || isSameAccess(access, plant.access) ? plant.access : (access ?? undefined),
  })
  const concernsIds = typeof fields.id === 'number' || given !== undefined
  return (plants) => {
    const all = concernsIds ? [...plants] : plants
    const changes = new Map<StoredPlant, StoredPlant>()
    for (const plant of all) if (matches(plant)) changes.set(plant, patched(plant))
    if (concernsIds) checkIds(all, changes)
    return changes
  }
}

const isSameAccess = (given: readonly Caller[] | null, access: readonly Caller[] | undefined): boolean =>
  given === null || access === undefined
    ? given === null && access === undefined
    : accessText(given) === accessText(access)

/** The plants with one id: those without `access`, those with one, and those of each caller; true when one changed. */
type SameId = { shared?: boolean; limited?: boolean; readonly byCaller: Map<Caller, boolean> }

/**
 * Refuses changes of ids and of access after which two plants of one caller have one id. Plants that had one before, as
 * those of `create.duplicateId=accept`, may keep it.
 * @throws PlantMockError that names the id.
 */
const checkIds = (plants: Iterable<StoredPlant>, changes: ReadonlyMap<StoredPlant, StoredPlant>): void => {
  const byId = new Map<number, SameId>()
  for (const before of plants) {
    const plant = changes.get(before) ?? before
    if (plant.id === undefined) continue
    const isChanged = plant.id !== before.id || plant.access !== before.access
    const others = byId.get(plant.id) ?? { byCaller: new Map() }
    byId.set(plant.id, others)
    if (conflicts(others, plant, isChanged)) throw idTaken(plant.id)
  }
}

/** Whether one caller sees the plant and another one with its id, and one of both changed; then counts the plant. */
const conflicts = (others: SameId, { access }: StoredPlant, isChanged: boolean): boolean => {
  const meets = (other: boolean | undefined): boolean => other !== undefined && (isChanged || other)
  if (access === undefined) {
    if (meets(others.shared) || meets(others.limited)) return true
    others.shared = others.shared === true || isChanged
    return false
  }
  if (access.length === 0) return false
  if (meets(others.shared) || access.some((caller) => meets(others.byCaller.get(caller)))) return true
  others.limited = others.limited === true || isChanged
  for (const caller of access) others.byCaller.set(caller, others.byCaller.get(caller) === true || isChanged)
  return false
}

const idTaken = (id: number): PlantMockError =>
  new PlantMockError(
    `The update would give id ${id} to two plants that one caller may access. Nothing was changed; use another id, or a filter for one plant.`,
  )

/** Why a store of a user's own cannot do it. */
export const cannotChange = (): PlantMockError =>
  new PlantMockError(
    'The store of this mock cannot change plants: it has no method change. Add one (guide: src/guides/stores.md), or replace all plants with load.',
  )
