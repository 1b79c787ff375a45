import { PlantMockError } from '../../util/errors.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { describeField, type FixturePlant, validateFixturePlant } from '../contract/schemas.ts'
import { type PlantsOrNames, plantsOf } from '../fixtures/shipped.ts'
import { asFixture, type PlantStore, type StoredPlant } from '../store/plant-store.ts'
import { PlantTable } from '../store/plant-table.ts'
import type { CommandContext } from './command-row.ts'
import {
  accessText,
  equalTo,
  type PlantFields,
  type PlantMatch,
  type PlantPatch,
  parseFields,
  plantPredicate,
} from './plant-filter.ts'
import { keyOf } from './state.ts'

/** Loads fixtures that are named, and validates all of them. Throws at once for an unknown name. */
export const fixtureTable = (fixtures: PlantsOrNames): MaybePromise<PlantTable> =>
  andThen(plantsOf(fixtures), checkFixtures)

/** Validates all fixtures before any is used, so that an invalid one changes nothing. A table is valid already. */
export const checkFixtures = (plants: Iterable<FixturePlant>): PlantTable => {
  if (plants instanceof PlantTable) return plants
  if (typeof plants?.[Symbol.iterator] !== 'function')
    throw new PlantMockError(
      'Fixtures must be an array of plants, or names of shipped ones: [{ id: 1, name: "Aloe vera", tag: "succulent" }], "garden".',
    )
  const table = new PlantTable()
  for (const plant of plants) {
    if (typeof plant === 'string')
      throw new PlantMockError('Names of fixtures must be in an array alone, such as ["garden"].')
    const checked = validateFixturePlant(plant)
    if ('errors' in checked)
      throw new PlantMockError(
        `Invalid fixture at index ${table.length}: ${checked.errors
          .map(describeField)
          .join('; ')
          .replace(/^The body /, 'it ')}.`,
      )
    table.push(plant)
  }
  return table
}

/** Plants by the values of fields, by a function (in this process alone), or equal to these, as many as are listed. */
export type Selection =
  | { readonly filter: PlantFields }
  | { readonly plants: readonly FixturePlant[] }
  | { readonly select: (plant: FixturePlant) => boolean }

export const readPlants = async (
  { state, base, watched }: CommandContext,
  matches: (plant: StoredPlant) => boolean,
): Promise<readonly FixturePlant[]> => {
  watched?.stateRead()
  await base.ready
  return (await state.plants.all()).filter(matches).map(asFixture)
}

export const callerKeyIn =
  ({ state }: CommandContext) =>
  (caller: string): string =>
    keyOf(state.plants, caller)

export const predicateIn = (match: PlantMatch, context: CommandContext) => plantPredicate(match, callerKeyIn(context))

export const selected = (selection: Selection, context: CommandContext): ((plant: StoredPlant) => boolean) => {
  if ('plants' in selection) return equalTo(selection.plants)
  return predicateIn('select' in selection ? selection.select : selection.filter, context)
}

export const changePlants = async (
  { state, base, hidden, watched }: CommandContext,
  decide: DecideChanges,
): Promise<number> => {
  // Alternatives that parted stay so, even when no plant is left: the number of changed plants may differ.
  watched?.stateRead()
  await base.ready
  if (state.plants.change === undefined)
    throw new PlantMockError(
      'The store of this mock cannot change plants: it has no method change. Add one (guide: src/guides/stores.md), or replace all plants with load.',
    )
  return andThen(state.plants.change(decide), (changes) => {
    hidden.changed(changes)
    return changes.size
  })
}

type DecideChanges = Parameters<NonNullable<PlantStore['change']>>[0]

export const removal =
  (matches: (plant: StoredPlant) => boolean): DecideChanges =>
  (plants) =>
    new Map([...plants].filter(matches).map((plant) => [plant, undefined]))

/** @param keyOf Maps a token to the key that `access` has instead of it. */
export const patching = (
  matches: (plant: StoredPlant) => boolean,
  patch: PlantPatch,
  keyOf: (caller: string) => string,
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

const isSameAccess = (given: readonly string[] | null, access: readonly string[] | undefined): boolean =>
  given && access ? accessText(given) === accessText(access) : !given && !access

/** Plants of one caller that had one id before, as those of `create.duplicateId=accept`, may keep it. */
const checkIds = (plants: Iterable<StoredPlant>, changes: ReadonlyMap<StoredPlant, StoredPlant>): void => {
  const byId = new Map<number, { readonly plant: StoredPlant; readonly isChanged: boolean }[]>()
  for (const before of plants) {
    const plant = changes.get(before) ?? before
    if (plant.id === undefined) continue
    const isChanged = plant.id !== before.id || plant.access !== before.access
    const others = byId.get(plant.id) ?? []
    if (others.some((other) => (isChanged || other.isChanged) && haveOneCaller(plant, other.plant)))
      throw new PlantMockError(
        `The update would give id ${plant.id} to two plants that one caller may access. Nothing was changed; use another id, or a filter for one plant.`,
      )
    byId.set(plant.id, [...others, { plant, isChanged }])
  }
}

const haveOneCaller = ({ access: a }: StoredPlant, { access: b }: StoredPlant): boolean => {
  if (a === undefined || b === undefined) return (a ?? b)?.length !== 0
  return a.some((caller) => b.includes(caller))
}
