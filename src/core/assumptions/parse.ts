import { PlantMockError } from '../../util/errors.ts'
import { parseJson } from '../../util/json.ts'
import { maxShownLength, shorten } from '../../util/text.ts'
import { suggestion } from '../../util/words.ts'
import {
  type Assume,
  type Assumption,
  type AssumptionValue,
  assumptionRegistry,
  describeValues,
  findAssumption,
  parseValue,
  refusalOf,
} from './registry.ts'

/** Parses texts such as `create.status=200`. @throws PlantMockError that suggests the closest known id or value. */
export const parseAssume = (texts: readonly string[]): Assume =>
  checkAssume(
    Object.fromEntries(
      texts.map((text) => {
        const separator = text.indexOf('=')
        if (separator === -1)
          throw new PlantMockError(
            `Invalid assumption "${shorten(text)}". Write ID=VALUE, for example create.status=200.`,
          )
        return [text.slice(0, separator).trim(), text.slice(separator + 1).trim()]
      }),
    ),
  )

/**
 * Validates assumptions. A number may be given as text, such as `'200'`.
 * @throws PlantMockError that suggests a known id or value.
 */
export const checkAssume = (values: Readonly<Record<string, unknown>>): Assume => {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new PlantMockError('Assumptions must be an object such as { "create.status": 200 }.')
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([id, value]) => {
        const row = findAssumption(id)
        if (row === undefined) throw unknownAssumption(id)
        return [id, checkValue(row, value)]
      }),
  )
}

const unknownAssumption = (id: string): PlantMockError => {
  const ids = assumptionRegistry.map((row) => row.id)
  // perf: suggests no id for a long text, because comparing the text with each id is slow.
  const hint = id.length > maxShownLength ? '' : suggestion(id, ids)
  return new PlantMockError(`Unknown assumption "${shorten(id)}".${hint} "plant-mock assumptions" lists all of them.`)
}

const checkValue = (row: Assumption, value: unknown): AssumptionValue => {
  const found = typeof value === 'object' ? undefined : parseValue(row.id, String(value))
  if (found !== undefined) return found
  const isObject = typeof value === 'object' && value !== null
  const shown = Array.isArray(value) ? '[…]' : isObject ? '{…}' : shorten(String(value))
  const refusal = typeof value === 'string' ? refusalOf(row.id, value) : undefined
  throw new PlantMockError(
    `The assumption ${row.id} cannot be "${shown}"${refusal ? `: ${refusal}.` : `. Use ${describeValues(row)}.`}`,
  )
}

export const assumeVariable = 'PLANT_MOCK_ASSUME'

/** Parses `PLANT_MOCK_ASSUME`: `id=value,id=value`, or a JSON object, because values may contain commas. */
export const environmentAssume = (
  environment: Readonly<Record<string, string | undefined>> = (globalThis as { process?: NodeJS.Process }).process
    ?.env ?? {},
): Assume => {
  const text = environment[assumeVariable] ?? ''
  try {
    if (!text.trimStart().startsWith('{')) return parseAssume(text.split(',').filter((part) => part !== ''))
    const parsed = parseJson(text)
    if ('error' in parsed) throw new PlantMockError(`it is not JSON: ${parsed.error}.`)
    return checkAssume(parsed.value as Readonly<Record<string, unknown>>)
  } catch (error) {
    throw error instanceof PlantMockError ? new PlantMockError(`${assumeVariable}: ${error.message}`) : error
  }
}
