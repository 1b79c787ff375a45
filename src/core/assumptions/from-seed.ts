import { seededRandom } from '../../util/random.ts'
import { type Assume, assumptionRegistry, valuesOf } from './registry.ts'

/** A value for each assumption except the rare ones, drawn from a seed. The same seed gives the same values. */
export const assumptionsFromSeed = (seed: number): Assume => {
  const random = seededRandom(seed)
  return Object.fromEntries(
    assumptionRegistry
      .filter(({ rare }) => !rare)
      .map((row) => {
        const values = valuesOf(row)
        return [row.id, values[Math.floor(random() * values.length)]]
      }),
  )
}
