import { generatePlants } from '../fixtures/factory.ts'
import { exitCodes } from './exit-codes.ts'
import type { RunCommand } from './run.ts'

/** `plant-mock generate`: prints a fixture file. */
export const generate: RunCommand = async ({ values: { plants = 10, seed, token } }, { out }) => {
  const generated = generatePlants(plants, {
    ...(seed !== undefined && { seed }),
    ...(token && { tokens: token }),
  })
  const lines = generated.map((plant) => `    ${JSON.stringify(plant)}`)
  out(`{\n  "$schema": "./node_modules/plant-mock/fixtures/schema.json",\n  "plants": [`)
  for (const [i, line] of lines.entries()) out(`${i === 0 ? '' : ','}\n${line}`)
  out(`${lines.length === 0 ? '' : '\n  '}]\n}\n`)
  return exitCodes.success
}
