import { PlantMockError } from '../../util/errors.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { describeField, type FixturePlant, validateFixturePlant } from '../contract/schemas.ts'
import { type PlantChanges, Plants, type StoredPlant } from '../model/plants.ts'
import { accessText, equalTo, type PlantFields, type PlantPatch, parseFields, plantPredicate } from './plant-filter.ts'
import { type PlantsOrNames, plantsOf } from './shipped.ts'

/** Loads fixtures that are named, and validates all of them. Throws at once for an unknown name. */
export const fixtureTable = (fixtures: PlantsOrNames): MaybePromise<Plants> =>
  andThen(plantsOf(fixtures), checkFixtures)

/** Validates all fixtures before any is used, so that an invalid one changes nothing. Plants are valid already. */
export const checkFixtures = (plants: Iterable<FixturePlant>): Plants => {
  if (plants instanceof Plants) return plants
  if (typeof plants?.[Symbol.iterator] !== 'function')
    throw new PlantMockError(
      'Fixtures must be an array of plants, or names of shipped ones: [{ id: 1, name: "Aloe vera", tag: "succulent" }], "garden".',
    )
  const checked = Plants.builder()
  for (const plant of plants) {
    if (typeof plant === 'string')
      throw new PlantMockError('Names of fixtures must be in an array alone, such as ["garden"].')
    const valid = validateFixturePlant(plant)
    if ('errors' in valid)
      throw new PlantMockError(
        `Invalid fixture at index ${checked.length}: ${valid.errors
          .map(describeField)
          .join('; ')
          .replace(/^The body /, 'it ')}.`,
      )
    checked.push(plant)
  }
  return checked.build()
}

/** Plants by the values of fields, by a function (in this process alone), or equal to these, as many as are listed. */
export type Selection =
  | { readonly filter: PlantFields }
  | { readonly plants: readonly FixturePlant[] }
  | { readonly select: (plant: FixturePlant) => boolean }

export const readPlants = (plants: Plants, matches: (plant: FixturePlant) => boolean): readonly FixturePlant[] =>
  [...plants].filter(matches)

export const selected = (selection: Selection): ((plant: FixturePlant) => boolean) => {
  if ('plants' in selection) return equalTo(selection.plants)
  return plantPredicate('select' in selection ? selection.select : selection.filter)
}

export const removal = (plants: Plants, matches: (plant: FixturePlant) => boolean): PlantChanges =>
  new Map(Array.from(plants).flatMap((plant, position) => (matches(plant) ? [[position, undefined]] : [])))

/**
 * Ids may repeat, as in fixtures and with `seed`: `create.duplicateId` is about creates, and a service may hold plants from
 * elsewhere.
 */
export const patching = (
  plants: Plants,
  matches: (plant: FixturePlant) => boolean,
  patch: PlantPatch,
): PlantChanges => {
  const { access: given, ...fields } = parseFields(patch, 'patch')
  // perf: one array for all plants that change.
  const access = given && [...new Set(given)]
  const patched = (plant: FixturePlant): StoredPlant => ({
    id: fields.id === undefined ? plant.id : (fields.id ?? undefined),
    name: fields.name ?? plant.name,
    tag: fields.tag ?? plant.tag,
    access:
      access === undefined || isSameAccess(access ?? undefined, plant.access) ? plant.access : (access ?? undefined),
  })
  return new Map(
    Array.from(plants).flatMap((plant, position) => (matches(plant) ? [[position, patched(plant)] as const] : [])),
  )
}

/** Whatever the order of the callers. */
const isSameAccess = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a && b ? accessText(a) === accessText(b) : !a && !b
