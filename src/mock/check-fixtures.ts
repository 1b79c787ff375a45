import { describeField, type FixturePlant, validateFixturePlant } from '../contract/schemas.ts'
import { PlantMockError } from '../util/errors.ts'

/**
 * Validates all fixtures before any is used, so that an invalid one changes nothing.
 * @throws PlantMockError that names the first invalid plant by its index.
 */
export const checkFixtures = (plants: readonly FixturePlant[]): readonly FixturePlant[] => {
  if (!Array.isArray(plants))
    throw new PlantMockError('Fixtures must be an array of plants: [{ id: 1, name: "Aloe vera", tag: "succulent" }].')
  for (const [index, plant] of plants.entries()) {
    const checked = validateFixturePlant(plant)
    if ('errors' in checked)
      throw new PlantMockError(
        `Invalid fixture at index ${index}: ${checked.errors
          .map(describeField)
          .join('; ')
          .replace(/^The body /, 'it ')}.`,
      )
  }
  return plants
}
