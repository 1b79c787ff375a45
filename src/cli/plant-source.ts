import type { FixturePlant } from '../contract/schemas.ts'
import { findFixtureFile, loadFixtures } from '../fixtures/load.ts'
import type { Values } from './options.ts'

/** The plants that a server starts with. */
export type PlantSource = {
  /** The fixture files. */
  readonly files: readonly string[]
  /** The source in words, such as `garden and 5 generated with seed 1`. */
  readonly description: string
  readonly load: () => Promise<FixturePlant[]>
}

/**
 * Determines the plants from `--fixtures`, `--plants`, `--seed` and `--token`.
 * @throws PlantMockError for an unknown fixture.
 */
export const plantSource = async ({ fixtures, plants, seed = 1, token = [] }: Values): Promise<PlantSource> => {
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

/** Generates plants with ids above those of the loaded plants. */
const generate = async (
  count: number,
  seed: number,
  tokens: readonly string[],
  loaded: readonly FixturePlant[],
): Promise<FixturePlant[]> => {
  // perf: imported on demand, because it loads faker; `npm run bench` measures the start of `serve`.
  const { generatePlants } = await import('../fixtures/factory.ts')
  const firstId = loaded.reduce((highest, { id = 0 }) => Math.max(highest, id), 0) + 1
  return generatePlants(count, { seed, tokens, firstId })
}
