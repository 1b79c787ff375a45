import { PlantMockError } from '../../util/errors.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { shorten } from '../../util/text.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import { describeField, type FixturePlant, requiresTag, validateFixturePlant } from '../contract/schemas.ts'
import { type PlantChanges, Plants, type StoredPlant } from '../model/plants.ts'
import { accessText, equalTo, type PlantFields, type PlantPatch, parseFields, plantPredicate } from './plant-filter.ts'
import { type PlantsOrNames, plantsOf } from './shipped.ts'

export const fixtureTable = (fixtures: PlantsOrNames): MaybePromise<Plants> =>
  andThen(plantsOf(fixtures), checkFixtures)

export const checkFixtures = (plants: Iterable<FixturePlant>): Plants => {
  if (plants instanceof Plants) return plants
  if (typeof plants?.[Symbol.iterator] !== 'function')
    throw new PlantMockError(
      'Fixtures must be an array of plants, or names of shipped fixtures: [{ id: 1, name: "Aloe vera", tag: "succulent" }], "garden".',
    )
  const checked = Plants.builder()
  for (const plant of plants) {
    if (typeof plant === 'string')
      throw new PlantMockError('Names of fixtures must be in an array, not another iterable: ["garden"].')
    const valid = validateFixturePlant(plant)
    if ('errors' in valid)
      throw new PlantMockError(
        `Invalid fixture at index ${checked.length}: ${valid.errors
          .map(describeField)
          .join('; ')
          .replace(/^The body /, 'it ')}.`,
      )
    checked.push(valid.value)
  }
  return checked.build()
}

/** @param allowing Each plant must be valid under one of these, because `vary` serves values that no test expects. */
export const requireAllowed = (plants: Plants, ...allowing: readonly Assumptions[]): void => {
  const refuse = (position: number, reason: string): never => {
    const { name } = plants.at(position)
    throw new PlantMockError(`Invalid fixture at index ${position}: ${JSON.stringify(shorten(name))} ${reason}`)
  }
  const [first] = allowing
  const { untagged, largeId } = plants
  if (untagged !== undefined && allowing.every(requiresTag))
    refuse(
      untagged,
      `has no tag, which create.required=${first?.['create.required']} requires. Add a tag, or set create.required=name+id (--assume create.required=name+id).`,
    )
  if (largeId !== undefined && !allowing.some((assumptions) => assumptions['create.idRange'] === 'int64'))
    refuse(
      largeId,
      `has the id ${plants.at(largeId).id}, which is beyond create.idRange=${first?.['create.idRange']}. Set create.idRange=int64.`,
    )
}

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

export const patching = (
  plants: Plants,
  matches: (plant: FixturePlant) => boolean,
  patch: PlantPatch,
): PlantChanges => {
  const { access: given, ...fields } = parseFields(patch, 'patch')
  const access = given && [...new Set(given)]
  const patched = (plant: FixturePlant): StoredPlant => ({
    id: fields.id === undefined ? plant.id : (fields.id ?? undefined),
    name: fields.name ?? plant.name,
    tag: fields.tag === undefined ? plant.tag : (fields.tag ?? undefined),
    access:
      access === undefined || isSameAccess(access ?? undefined, plant.access) ? plant.access : (access ?? undefined),
  })
  return new Map(
    Array.from(plants).flatMap((plant, position) => (matches(plant) ? [[position, patched(plant)] as const] : [])),
  )
}

const isSameAccess = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a && b ? accessText(a) === accessText(b) : !a && !b
