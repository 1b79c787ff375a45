import { describeField, type FixturePlant, validateFixturePlant } from '../contract/schemas.ts'
import { Columns } from '../store/columns.ts'
import { PlantTable } from '../store/plant-table.ts'
import { PlantMockError } from '../util/errors.ts'

/**
 * Validates all fixtures before any is used, so that an invalid one changes nothing. A table is valid already.
 * @throws PlantMockError that names the first invalid plant by its index.
 */
export const checkFixtures = (plants: Iterable<FixturePlant>): PlantTable => {
  if (plants instanceof PlantTable) return plants
  if (typeof plants === 'string' || typeof plants?.[Symbol.iterator] !== 'function')
    throw new PlantMockError('Fixtures must be an array of plants: [{ id: 1, name: "Aloe vera", tag: "succulent" }].')
  const columns = new Columns()
  for (const plant of plants) {
    const checked = validateFixturePlant(plant)
    if ('errors' in checked)
      throw new PlantMockError(
        `Invalid fixture at index ${columns.length}: ${checked.errors
          .map(describeField)
          .join('; ')
          .replace(/^The body /, 'it ')}.`,
      )
    columns.push(plant)
  }
  return new PlantTable(columns)
}
