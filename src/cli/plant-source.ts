import type { FixturePlant } from '../contract/schemas.ts'
import { garden } from '../fixtures/garden.ts'
import type { Values } from './options.ts'

/** The plants that a server starts with. */
export type PlantSource = {
  /** The fixture files; without `--watch`, none for garden. */
  readonly files: readonly string[]
  /** The source in words, such as `garden and 5 generated with seed 1`. */
  readonly description: string
  readonly load: () => Promise<FixturePlant[]>
}

/**
 * Determines the plants from `--fixtures`, `--plants`, `--seed` and `--token`.
 * @throws PlantMockError for an unknown fixture.
 */
export const plantSource = async (values: Values): Promise<PlantSource> => {
  const { fixtures, plants, seed = 1, token = [], watch = false } = values
  const names = fixtures ?? (plants === undefined ? ['garden'] : [])
  // perf: loading a file and the modules that read it takes longer; `npm run bench` measures the start of `serve`.
  const isBuiltIn = !watch && names.every((name) => name === 'garden')
  const { files, load } = isBuiltIn ? builtIn(names) : await inFiles(names)
  return {
    files,
    description: [...names, ...(plants === undefined ? [] : [`${plants} generated with seed ${seed}`])].join(' and '),
    load: async () => {
      const loaded = await load()
      if (plants === undefined) return loaded
      // perf: imported on demand, because it loads faker; `npm run bench` measures the start of `serve`.
      const { generatePlants } = await import('../fixtures/factory.ts')
      const firstId = loaded.reduce((highest, { id = 0 }) => Math.max(highest, id), 0) + 1
      return [...loaded, ...generatePlants(plants, { seed, tokens: token, firstId })]
    },
  }
}

type Fixtures = Pick<PlantSource, 'files' | 'load'>

const builtIn = (names: readonly string[]): Fixtures => ({ files: [], load: async () => names.flatMap(() => garden) })

const inFiles = async (names: readonly string[]): Promise<Fixtures> => {
  const { findFixtureFile, loadFixtures } = await import('../fixtures/load.ts')
  return { files: await Promise.all(names.map(findFixtureFile)), load: () => loadFixtures(...names) }
}
