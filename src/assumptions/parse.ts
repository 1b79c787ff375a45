import { closestMatch } from 'leven'
import { PlantMockError } from '../util/errors.ts'
import {
  type Assume,
  type Assumption,
  type AssumptionValue,
  assumptionRegistry,
  findAssumption,
  valuesOf,
} from './registry.ts'

/**
 * Reads assumptions written as `id=value`, as flags and environment variables give them.
 * @throws PlantMockError for an unknown id or value, with the nearest valid one.
 */
export const parseAssume = (texts: readonly string[]): Assume =>
  checkAssume(
    Object.fromEntries(
      texts.map((text) => {
        const at = text.indexOf('=')
        if (at === -1)
          throw new PlantMockError(
            `"${text}" is not an assumption. Write it as ID=VALUE, e.g. create.status=200.`,
          )
        return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
      }),
    ),
  )

/** Assumptions as environment variables have them, `id=value,id=value`: those that differ from the defaults. */
export const writeAssume = (assume: Assume): string =>
  Object.entries(assume)
    .filter(([id, value]) => value !== findAssumption(id)?.default)
    .map(([id, value]) => `${id}=${value}`)
    .join(',')

/**
 * Checks assumptions that come from outside the type system. Numbers may come as text.
 * @throws PlantMockError for an unknown id or value, with the nearest valid one.
 */
export const checkAssume = (values: Readonly<Record<string, unknown>>): Assume => {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new PlantMockError('Assumptions are an object such as { "create.status": 200 }.')
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([id, value]) => {
        const row = findAssumption(id)
        if (row === undefined)
          throw new PlantMockError(`There is no assumption "${shortened(id)}".${nearestId(id)}`)
        return [id, checkValue(row, value)]
      }),
  )
}

const checkValue = (row: Assumption, value: unknown): AssumptionValue => {
  const values = valuesOf(row)
  const text = asText(value)
  const found = values.find((valid) => String(valid) === text)
  if (found !== undefined) return found
  const list =
    values.length === 1 ? `only ${values[0]}: the mock has nothing to vary here` : values.join(', ')
  throw new PlantMockError(`The assumption ${row.id} cannot be "${text}". It can be ${list}.`)
}

/** What is no text and no number may have no form as text, or a very long one. */
const asText = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return shortened(String(value))
  return Array.isArray(value) ? '[…]' : '{…}'
}

const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)

/** Names and values are shorter; what is longer is no misspelling of one, and not worth repeating. */
const longest = 100

const nearestId = (id: string): string => {
  const known = assumptionRegistry.map((row) => row.id)
  const nearest = id.length > longest ? undefined : closestMatch(id, known, { maxDistance: 8 })
  return nearest === undefined
    ? ' "plant-mock assumptions" lists them all.'
    : ` Did you mean "${nearest}"? "plant-mock assumptions" lists them all.`
}
