import { findFixtureFile, loadFixtureTable } from '../fixtures/load.ts'
import { type PlantTable, plantTable } from '../store/plant-table.ts'
import type { Values } from './options.ts'

/** The plants that a server starts with. */
export type PlantSource = {
  /** The fixture files. */
  readonly files: readonly string[]
  /** The source in words, such as `garden and 5 generated with seed 1`. */
  readonly description: string
  readonly load: () => Promise<PlantTable>
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
      const loaded = await loadFixtureTable(names)
      if (plants === undefined) return loaded
      // perf: imported on demand, because it loads faker; `npm run bench` measures the start of `serve`.
      const { generatePlants } = await import('../fixtures/factory.ts')
      let highestId = 0
      for (const { id = 0 } of loaded) highestId = Math.max(highestId, id)
      const generated = generatePlants(plants, { seed, tokens: token, firstId: highestId + 1 })
      return plantTable([...loaded, ...generated])
    },
  }
}
