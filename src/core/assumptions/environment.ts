import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject, parseJson } from '../../util/json.ts'
import { checkAssume, parseAssume } from './parse.ts'
import type { Assume } from './registry.ts'

/** The environment variable through which `plant-mock vary` reaches mocks inside a test suite. */
export const assumeVariable = 'PLANT_MOCK_ASSUME'

/**
 * Assumptions from the environment variable `PLANT_MOCK_ASSUME`: `id=value,id=value`, or a JSON object, which values
 * with commas need.
 * @param environment Default: that of the process; empty in a browser.
 * @throws PlantMockError for an unknown assumption or value.
 */
export const environmentAssume = (
  environment: Readonly<Record<string, string | undefined>> = processEnvironment(),
): Assume => {
  const text = environment[assumeVariable] ?? ''
  try {
    if (text.trimStart().startsWith('{')) return checkAssume(objectIn(text))
    return parseAssume(text.split(',').filter((part) => part !== ''))
  } catch (error) {
    throw error instanceof PlantMockError ? new PlantMockError(`${assumeVariable}: ${error.message}`) : error
  }
}

const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  const parsed = parseJson(text)
  if ('error' in parsed) throw new PlantMockError(`it is not JSON: ${parsed.error}.`)
  return isJsonObject(parsed.value) ? parsed.value : {}
}

const processEnvironment = (): Readonly<Record<string, string | undefined>> =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {}
