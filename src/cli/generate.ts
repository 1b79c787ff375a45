import { generatePlants } from '../core/fixtures/factory.ts'
import { fixtureText } from '../core/fixtures/parse.ts'
import type { RunCliCommand } from './command.ts'
import { exitCodes } from './exit-codes.ts'

export const generate: RunCliCommand = async ({ values: { plants = 10, seed = 1, token = [] } }, { out }) => {
  for (const chunk of fixtureText(generatePlants(plants, { seed, tokens: token }))) out(chunk)
  return exitCodes.success
}
