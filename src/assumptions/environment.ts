import { PlantMockError } from '../util/errors.ts'
import { parseAssume } from './parse.ts'
import type { Assume } from './registry.ts'

/** The variable through which `plant-mock vary` reaches mocks inside a test suite. */
export const assumeVariable = 'PLANT_MOCK_ASSUME'

/**
 * What the environment asks to assume. In a browser there is none.
 * @throws PlantMockError for an unknown assumption or value.
 */
export const environmentAssume = (): Assume => {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const text = process?.env?.[assumeVariable]
  if (text === undefined || text === '') return {}
  try {
    return parseAssume(text.split(',').filter((part) => part !== ''))
  } catch (error) {
    throw error instanceof PlantMockError ? new PlantMockError(`${assumeVariable}: ${error.message}`) : error
  }
}
