import { PlantMockError } from '../util/errors.ts'
import { parseAssume } from './parse.ts'
import type { Assume } from './registry.ts'

/** The environment variable through which `plant-mock vary` reaches mocks inside a test suite. */
export const assumeVariable = 'PLANT_MOCK_ASSUME'

/**
 * Assumptions from the environment variable `PLANT_MOCK_ASSUME`, in the form `id=value,id=value`.
 * @param environment Default: that of the process; empty in a browser.
 * @throws PlantMockError for an unknown assumption or value.
 */
export const environmentAssume = (
  environment: Readonly<Record<string, string | undefined>> = processEnvironment(),
): Assume => {
  const texts = (environment[assumeVariable] ?? '').split(',').filter((text) => text !== '')
  try {
    return parseAssume(texts)
  } catch (error) {
    throw error instanceof PlantMockError ? new PlantMockError(`${assumeVariable}: ${error.message}`) : error
  }
}

const processEnvironment = (): Readonly<Record<string, string | undefined>> =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {}
