import { garden } from '../../core/fixtures/garden.ts'
import type { OnNotice } from '../../core/fixtures/rows.ts'
import { Plants } from '../../core/model/plants.ts'
import { pauses } from '../../util/pauses.ts'

export type FixtureSource = Awaited<ReturnType<typeof plantSource>>

type PlantSourceOptions = {
  readonly fixtures?: readonly string[]
  readonly plants?: number
  readonly seed?: number
  readonly token?: readonly string[]
  readonly watch?: boolean
  readonly isNewestFirst?: boolean
}

export const plantSource = async (options: PlantSourceOptions) => {
  const { fixtures, plants, seed = 1, token = [], watch = false, isNewestFirst = false } = options
  const names = fixtures ?? (plants === undefined ? ['garden'] : [])
  // perf: uses the built-in garden without a file and a parser (`npm run bench`, start of `serve`).
  const isBuiltIn = !watch && names.every((name) => name === 'garden')
  const loader = isBuiltIn ? undefined : await import('./load-fixtures.ts')
  return {
    files: loader === undefined ? [] : await Promise.all(names.map(loader.findFixtureFile)),
    description: [...names, ...(plants === undefined ? [] : [`${plants} generated with seed ${seed}`])].join(' and '),
    load: async (onNotice: OnNotice): Promise<Plants> => {
      const loaded = await (loader?.loadPlants(names, onNotice, isNewestFirst) ??
        Plants.from(names.flatMap(() => garden)))
      if (plants === undefined) return loaded
      const { plantFactory } = await import('../../core/fixtures/factory.ts')
      let highestId = 0
      const all = Plants.builder()
      for (const plant of loaded) {
        if (typeof plant.id === 'number') highestId = Math.max(highestId, plant.id)
        all.push(plant)
      }
      const generate = plantFactory({ seed, tokens: token, firstId: highestId + 1 })
      const pause = pauses()
      for (let count = 0; count < plants; count++) {
        all.push(generate())
        await pause()
      }
      return all.build()
    },
  }
}
