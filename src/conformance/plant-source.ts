import type { NewPlant } from '../contract/schemas.ts'

/** Sample plants use ids from this one: within 32 bits, and far above those that services usually assign. */
export const firstId = 1_900_000_000
export const lastId = 2_147_483_647
/** The start of each sample plant's name; also its tag, for plants that are created with no name or an empty one. */
export const namePrefix = 'plant-mock check'

/** Unlimited plants, each different from all others. */
export type PlantSource = {
  readonly newPlant: () => NewPlant
  /** A body with fields of wrong types. Each is different, so that no service refuses it as a duplicate. */
  readonly invalidBody: () => { readonly name: 1; readonly id: string; readonly tag: readonly never[] }
}

/** @param random Numbers from 0 (inclusive) to 1 (exclusive). */
export const createPlantSource = (random: () => number): PlantSource => {
  const randomDigits = (base: number, length: number) =>
    Math.floor(random() * base ** length)
      .toString(base)
      .padStart(length, '0')
  const run = randomDigits(36, 4)
  const firstIdOfRun = firstId + Math.floor(random() * (lastId - firstId - 100_000))
  let count = 0
  return {
    newPlant() {
      const number = count++
      return {
        // Swaps neighbours, so that the order by id differs from the order of creation.
        id: firstIdOfRun + (number ^ 1),
        // Random letters first, so that the order by name differs from the order of creation.
        name: `${namePrefix} ${run} ${randomDigits(26, 3)}-${number}`,
        tag: namePrefix,
      }
    },
    invalidBody: () => ({ name: 1, id: `${namePrefix} ${run} ${count++}`, tag: [] }),
  }
}
