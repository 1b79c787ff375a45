import { generatePlants } from '../fixtures/factory.ts'
import { fixtureText } from '../fixtures/fixture-text.ts'
import { exitCodes } from './exit-codes.ts'
import type { RunCommand } from './run.ts'

/** `plant-mock generate`: prints a fixture file. */
export const generate: RunCommand = async ({ values: { plants = 10, seed, token } }, { out }) => {
  const generated = generatePlants(plants, {
    ...(seed !== undefined && { seed }),
    ...(token && { tokens: token }),
  })
  for (const chunk of fixtureText(generated)) out(chunk)
  return exitCodes.success
}
