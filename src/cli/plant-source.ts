import { garden } from '../core/fixtures/garden.ts'
import { PlantTable, plantTable } from '../core/store/plant-table.ts'
import { pauses } from '../util/pauses.ts'
import type { Values } from './options.ts'

/** The plants that a server starts with. */
export type PlantSource = {
  /** The fixture files; without `--watch`, none for garden. */
  readonly files: readonly string[]
  /** The source in words, such as `garden and 5 generated with seed 1`. */
  readonly description: string
  readonly load: () => Promise<PlantTable>
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
      // perf: imported on demand, because few commands need it; `npm run bench` measures the start of `serve`.
      const { plantFactory } = await import('../core/fixtures/factory.ts')
      let highestId = 0
      for (const { id = 0 } of loaded) highestId = Math.max(highestId, id)
      const table = new PlantTable()
      for (const plant of loaded) table.push(plant)
      const generate = plantFactory({ seed, tokens: token, firstId: highestId + 1 })
      const pause = pauses()
      for (let count = 0; count < plants; count++) {
        table.push(generate())
        await pause()
      }
      return table
    },
  }
}

type Fixtures = Pick<PlantSource, 'files' | 'load'>

const builtIn = (names: readonly string[]): Fixtures => ({
  files: [],
  load: async () => plantTable(names.flatMap(() => garden)),
})

const inFiles = async (names: readonly string[]): Promise<Fixtures> => {
  const { findFixtureFile, loadFixtureTable } = await import('../server/files/load-fixtures.ts')
  return { files: await Promise.all(names.map(findFixtureFile)), load: () => loadFixtureTable(names) }
}
