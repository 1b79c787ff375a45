import { generatePlants } from '../fixtures/factory.ts'
import type { Run } from './run.ts'

/** `plant-mock generate`: a fixture file on standard output. */
export const generate: Run = async ({ values: { plants = 10, seed, token } }, { out }) => {
  const made = generatePlants(plants, {
    ...(seed !== undefined && { seed }),
    ...(token && { tokens: token }),
  })
  const lines = made.map((plant) => `    ${JSON.stringify(plant)}`)
  out(`{\n  "$schema": "./node_modules/plant-mock/fixtures/schema.json",\n  "plants": [`)
  for (const [i, line] of lines.entries()) out(`${i === 0 ? '' : ','}\n${line}`)
  out(`${lines.length === 0 ? '' : '\n  '}]\n}\n`)
  return 0
}
