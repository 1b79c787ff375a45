import { generatePlants } from '../fixtures/factory.ts'
import { fixtureText } from '../fixtures/fixture-text.ts'
import type { Run } from './run.ts'

/** `plant-mock generate`: writes a fixture file to standard output. */
export const generate: Run = async ({ values: { plants = 10, seed, token } }, { out }) => {
  const generated = generatePlants(plants, {
    ...(seed !== undefined && { seed }),
    ...(token && { tokens: token }),
  })
  for (const chunk of fixtureText(generated)) out(chunk)
  return 0
}
