import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject } from '../../util/json.ts'
import { isPromise } from '../../util/maybe-promise.ts'
import { shorten } from '../../util/text.ts'
import { suggestion } from '../../util/words.ts'
import {
  describeField,
  type FixturePlant,
  type Plant,
  type PlantId,
  validateFixturePlant,
} from '../contract/schemas.ts'

/** Field values to compare or to set. `null` means that the plant lacks the field. */
export type PlantFields = Partial<Pick<Plant, 'name'>> & {
  readonly id?: PlantId | null
  readonly tag?: string | null
  /** The callers who may access the plant, in any order; `null` for every caller. */
  readonly access?: readonly string[] | null
}

/** Selects plants by a function, or plants whose fields all equal the given fields. `{}` selects every plant. */
export type PlantMatch = PlantFields | ((plant: FixturePlant) => boolean)

/** New values of fields. `null` removes `id`, `tag` or `access`. Without `access`, every caller sees the plant. */
export type PlantPatch = PlantFields

export const plantPredicate = (match: PlantMatch): ((plant: FixturePlant) => boolean) => {
  if (typeof match === 'function') {
    const filter = syncFilter(match)
    return filter
  }
  const { id, name, tag, access } = parseFields(match, 'filter')
  const wanted = access && accessText(access)
  return (plant) =>
    (name === undefined || plant.name === name) &&
    (tag === undefined || (plant.tag ?? null) === tag) &&
    (id === undefined || (plant.id ?? null) === id) &&
    (access === undefined || (plant.access === undefined ? null : accessText(plant.access)) === wanted)
}

/** Joins tokens by spaces, which bearer tokens cannot contain (RFC 6750, 2.1). */
export const accessText = (access: readonly string[]): string => [...new Set(access)].sort().join(' ')

/** Refuses `undefined` as a value, because ignoring the field would select too many plants. */
export const parseFields = (given: unknown, kind: 'filter' | 'patch'): PlantFields => {
  if (!isPlainObject(given)) throw new PlantMockError(hints[kind])
  for (const name in given) {
    const shown = shorten(name)
    if (!(fieldNames as readonly string[]).includes(name))
      throw new PlantMockError(
        `Unknown field ${JSON.stringify(shown)} in the ${kind}.${suggestion(shown, fieldNames)} A plant has ${fieldNames.join(', ')}.`,
      )
    const orNull = canBeMissing(name) ? ', or use null for none' : ''
    if (given[name] === undefined)
      throw new PlantMockError(`The ${kind} has ${name} without a value. Leave ${name} out${orNull}.`)
  }
  const values = Object.entries(given).filter(([name, value]) => value !== null || !canBeMissing(name))
  const checked = validateFixturePlant({ name: '', ...Object.fromEntries(values) })
  if ('errors' in checked) throw new PlantMockError(`Invalid ${kind}: ${checked.errors.map(describeField).join('; ')}.`)
  return given
}

const canBeMissing = (name: string): boolean => name !== 'name'

const fieldNames = ['id', 'name', 'tag', 'access'] as const

const hints = {
  filter: 'Pass a filter such as { id: 3 } or a function; clear() removes all plants.',
  patch: 'Pass the new values of fields, such as { tag: "fern" }.',
}

/** Refuses a Map or a Date, which has no fields of a plant and would therefore match every plant. */
const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (!isJsonObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Returns a filter that matches each of `plants` once, because equal plants may occur several times. */
export const equalTo = (
  plants: Iterable<FixturePlant>,
  shown?: (access: readonly string[]) => readonly string[],
): ((plant: FixturePlant) => boolean) => {
  const counts = new Map<string, number>()
  for (const plant of plants) {
    const text = textOf(plant)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return (plant) => {
    const text = textOf(plant, shown)
    const count = counts.get(text) ?? 0
    if (count > 0) counts.set(text, count - 1)
    return count > 0
  }
}

const textOf = (
  { id, name, tag, access }: FixturePlant,
  shown: (access: readonly string[]) => readonly string[] = (access) => access,
): string => JSON.stringify([`${id}`, name, tag, access && [...new Set(shown(access))].sort()])

/** Refuses promises, because an `async` filter would select everything: every promise is truthy. */
export const syncFilter =
  <T>(filter: (value: T) => unknown): ((value: T) => boolean) =>
  (value) => {
    const result = filter(value)
    if (isPromise(result))
      throw new PlantMockError('A filter must return true or false, not a promise. Await promises before the call.')
    return Boolean(result)
  }
