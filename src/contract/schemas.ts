import * as v from 'valibot'
import type { Assumptions } from '../assumptions/registry.ts'
import type { FieldProblem } from './problems.ts'

/**
 * The shapes of the contract (section 2) and of a fixture. This module alone knows the schema library:
 * it exports functions and the types inferred from the schemas, so that published types need nothing else.
 */

const plantEntries = { name: v.string(), tag: v.string() }
/** RFC 6750, 2.1: what a bearer token may consist of, as part of a regular expression. */
export const b64tokenPattern = '[A-Za-z0-9\\-._~+/]+=*'
const b64token = new RegExp(`^${b64tokenPattern}$`)

const id = v.pipe(v.number(), v.safeInteger())
const plant = v.object(plantEntries)
const newPlant = v.object({ ...plantEntries, id })
const caller = v.pipe(v.string(), v.regex(b64token))
const fixturePlant = v.strictObject({
  ...plantEntries,
  id: v.optional(id),
  access: v.optional(v.array(caller)),
})

const answeredPlant = v.strictObject(plantEntries)
const shownPlant = v.strictObject({
  name: v.optional(v.string()),
  id: v.optional(id),
  tag: v.optional(v.string()),
})

const parsePlant = (value: unknown) => v.parse(plant, value)
const parseNewPlant = (value: unknown) => v.parse(newPlant, value)

/** A plant as answers show it: `name` and `tag` (contract.md, 2). */
export type Plant = Readonly<ReturnType<typeof parsePlant>>

/** A plant as a create sends it: `name`, `id` (an integer) and `tag` (contract.md, 4.1). */
export type NewPlant = Readonly<ReturnType<typeof parseNewPlant>>

/** The bearer token of a caller. */
export type Caller = string

/**
 * A plant of a fixture. `access` lists the tokens of the callers that see it; left out, every caller does.
 * `id` may be left out for plants known from lists alone, which show none.
 */
export type FixturePlant = Plant & { readonly id?: number; readonly access?: readonly Caller[] }

/** What a create leaves when the assumptions let fields out: `id` may be missing, missing strings are `""`. */
export type PlantDraft = Plant & { readonly id: number | undefined }

export type Validated<T> = { readonly value: T } | { readonly errors: readonly FieldProblem[] }

/** True for an integer that JSON in JavaScript can tell from its neighbours. */
export const isSafeId = (value: unknown): value is number => Number.isSafeInteger(value)

/** True for what may follow `Bearer ` (RFC 6750, 2.1). */
export const isBearerToken = (text: string): boolean => b64token.test(text)

type Policy = Pick<Assumptions, 'create.required' | 'create.unknownFields' | 'create.emptyStrings'>

/** The schema of a create's body under the given assumptions; its JSON Schema is in the OpenAPI document. */
const bodySchema = (policy: Policy) => {
  const text = policy['create.emptyStrings'] === 'reject' ? v.pipe(v.string(), v.minLength(1)) : v.string()
  const required = new Set(policy['create.required'].split('+'))
  const entry = <T extends v.GenericSchema>(name: string, schema: T) =>
    required.has(name) ? schema : v.optional(schema)
  const entries = { name: entry('name', text), id: entry('id', id), tag: entry('tag', text) }
  return policy['create.unknownFields'] === 'reject' ? v.strictObject(entries) : v.object(entries)
}

/**
 * A validator for the body of a create. It never throws; what is wrong comes back as one entry a field.
 */
export const plantValidator = (policy: Policy): ((body: unknown) => Validated<PlantDraft>) => {
  const schema = bodySchema(policy)
  const takesPlain = policy['create.unknownFields'] === 'ignore' && policy['create.emptyStrings'] === 'accept'
  return (body) => {
    // Almost every body: the schema would find the same, and take longer than all the rest of a create.
    if (takesPlain && isPlain(body)) return { value: { name: body.name, id: body.id, tag: body.tag } }
    const result = validate(schema, body)
    if ('errors' in result) return result
    const { name = '', id, tag = '' } = result.value
    return { value: { name, id, tag } }
  }
}

const isPlain = (body: unknown): body is NewPlant => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const { name, id, tag } = body as Partial<NewPlant>
  return typeof name === 'string' && typeof tag === 'string' && isSafeId(id)
}

/**
 * Where the body of a create is not as the contract shows it (2 and 4.1): types other than the shown ones, and fields
 * that it does not name. Fields left out are no violation: which are required, it does not show.
 */
export const newPlantViolations = (body: unknown): readonly string[] => {
  const result = validate(shownPlant, body)
  return 'errors' in result ? result.errors.map(describeField) : []
}

/** Where a plant in an answer is not exactly `name` and `tag`, both strings (2.1 and 2.2). */
export const shownPlantViolations = (value: unknown): readonly string[] => {
  const result = validate(answeredPlant, value)
  return 'errors' in result ? result.errors.map(describeField) : []
}

/** `#/name` reads better as `name`. */
export const describeField = (error: FieldProblem): string => {
  const field = 'pointer' in error ? decodeURIComponent(error.pointer.slice(2)) : error.parameter
  return `${field === '' ? 'The body' : field} ${error.detail}`
}

/** Checks one plant of a fixture: shape, and that each token in `access` could be sent as a bearer token. */
export const validateFixturePlant = (value: unknown): Validated<FixturePlant> =>
  // Fixtures may have a million plants, which the schema takes its time for.
  isPlain(value) && hasFixtureKeys(value)
    ? { value }
    : (validate(fixturePlant, value) as Validated<FixturePlant>)

/** Whether a plant has the fields of one that everyone sees, and no others. */
const hasFixtureKeys = (plant: object): boolean => {
  for (const key in plant) if (key !== 'name' && key !== 'id' && key !== 'tag') return false
  return true
}

/** The schemas that documents are built from, as values of the schema library. */
export const schemas = {
  plant: plant as unknown,
  newPlant: (policy: Policy): unknown => bodySchema(policy),
  fixturePlant: fixturePlant as unknown,
}

const validate = <T extends v.GenericSchema>(schema: T, value: unknown): Validated<v.InferOutput<T>> => {
  if (Array.isArray(value)) return { errors: [{ pointer: '#', detail: 'must be an object, not an array' }] }
  const result = v.safeParse(schema, value)
  return result.success ? { value: result.output } : { errors: result.issues.map(describeIssue) }
}

const describeIssue = (issue: v.BaseIssue<unknown>): FieldProblem => ({
  pointer: `#${(issue.path ?? []).map(({ key }) => `/${escapePointer(String(key))}`).join('')}`,
  detail: explain(issue),
})

/** RFC 6901, 3 and 6: `~` and `/` are escaped, then the whole is percent-encoded as a fragment. */
const escapePointer = (key: string): string =>
  encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1').toWellFormed())

const explain = ({ type, expected, received, input }: v.BaseIssue<unknown>): string => {
  if (type === 'string') return `must be a string, not ${kindOf(input)}`
  if (type === 'array') return `must be an array, not ${kindOf(input)}`
  if (type === 'number') return `must be an integer, not ${kindOf(input)}`
  if (type === 'min_length') return 'must not be empty'
  if (type === 'regex') return 'must be a bearer token: letters, digits and -._~+/ only, then any number of ='
  if (type === 'safe_integer')
    return Number.isInteger(input)
      ? `must lie between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`
      : `must be an integer, not ${received}`
  if (expected === 'never') return 'is not a field of a plant'
  if (received === 'undefined') return 'is required'
  return `must be an object, not ${kindOf(input)}`
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'an array'
  return { object: 'an object', number: 'a number' }[typeof value as string] ?? `a ${typeof value}`
}
