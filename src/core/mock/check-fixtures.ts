import { PlantMockError } from '../../util/errors.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { describeField, type FixturePlant, validateFixturePlant } from '../contract/schemas.ts'
import { type PlantsOrNames, plantsOf } from '../fixtures/shipped.ts'
import { PlantTable } from '../store/plant-table.ts'

/**
 * Loads fixtures that are named, and validates all of them; see `checkFixtures`.
 * @throws PlantMockError at once for an unknown name.
 */
export const fixtureTable = (fixtures: PlantsOrNames): MaybePromise<PlantTable> =>
  andThen(plantsOf(fixtures), checkFixtures)

/**
 * Validates all fixtures before any is used, so that an invalid one changes nothing. A table is valid already.
 * @throws PlantMockError that names the first invalid plant by its index.
 */
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
