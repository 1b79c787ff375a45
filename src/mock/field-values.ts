import { PlantMockError } from '../util/errors.ts'
import { isJsonObject } from '../util/json.ts'

/** The fields of a plant, in the order of their columns. */
export const fieldNames = ['id', 'name', 'tag', 'access'] as const

/** Fields either select plants or change them. */
export type FieldsKind = 'filter' | 'patch'

const hints: Readonly<Record<FieldsKind, string>> = {
  filter: 'Pass a filter such as { id: 3 } or a function; clear() removes all plants.',
  patch: 'Pass the new values of fields, such as { tag: "fern" }.',
}

/**
 * Refuses what JSON would leave out or change, because a filter without a field selects more plants than were meant.
 * @throws PlantMockError for anything but a plain object, and for a field without a value.
 */
export const checkFieldValues = (given: unknown, kind: FieldsKind): Readonly<Record<string, unknown>> => {
  if (!isPlainObject(given)) throw new PlantMockError(hints[kind])
  for (const name of fieldNames) {
    if (name in given && given[name] === undefined) throw noValue(name, kind)
    if (typeof given[name] === 'number' && !Number.isFinite(given[name]))
      throw new PlantMockError(`Invalid ${kind}: ${name} cannot be ${given[name]}.`)
  }
  return given
}

const noValue = (name: string, kind: FieldsKind): PlantMockError => {
  const other = name === 'id' || name === 'access' ? ', or use null for a plant without it' : ''
  return new PlantMockError(`The ${kind} has ${name} without a value. Leave ${name} out${other}.`)
}

/** A Map or a Date has no fields, and would select every plant. */
const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (!isJsonObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
