import type { FixturePlant } from '../contract/schemas.ts'
import { findFixtureFile, loadFixtures } from '../fixtures/load.ts'
import type { Values } from './options.ts'

/** The plants that a server starts with. */
export type PlantSource = {
  /** Files that can be watched. */
  readonly files: readonly string[]
  /** Where the plants come from, in words. */
  readonly description: string
  readonly load: () => Promise<FixturePlant[]>
}

/**
 * Where the plants come from, by `--fixtures`, `--plants`, `--seed` and `--token`.
 * @throws PlantMockError when there is no such fixture.
 */
export const plantSource = async ({
  fixtures,
  plants,
  seed = 1,
  token = [],
}: Values): Promise<PlantSource> => {
  const names = fixtures ?? (plants === undefined ? ['garden'] : [])
  const files = await Promise.all(names.map(findFixtureFile))
  const described = [...names, ...(plants === undefined ? [] : [`${plants} generated with seed ${seed}`])]
  return {
    files,
    description: described.join(' and '),
    load: async () => {
      const loaded = await loadFixtures(...names)
      return plants === undefined ? loaded : [...loaded, ...(await generate(plants, seed, token, loaded))]
    },
  }
}

/** Generated plants take ids above those that are there. The generator is loaded for them alone. */
const generate = async (
  count: number,
  seed: number,
  tokens: readonly string[],
  behind: readonly FixturePlant[],
): Promise<FixturePlant[]> => {
  const { generatePlants } = await import('../fixtures/factory.ts')
  const firstId = behind.reduce((highest, { id = 0 }) => Math.max(highest, id), 0) + 1
  return generatePlants(count, { seed, tokens, firstId })
}
