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
  return {
    files: await Promise.all(names.map(findFixtureFile)),
    description: [...names, ...(plants === undefined ? [] : [`${plants} generated with seed ${seed}`])].join(' and '),
    load: async () => {
      const loaded = await loadFixtures(...names)
      if (plants === undefined) return loaded
      // perf: imported on demand, because it loads faker; `npm run bench` measures the start of `serve`.
      const { generatePlants } = await import('../fixtures/factory.ts')
      const firstId = loaded.reduce((highest, { id = 0 }) => Math.max(highest, id), 0) + 1
      return [...loaded, ...generatePlants(plants, { seed, tokens: token, firstId })]
    },
  }
}
