import * as v from 'valibot'
import type { Assumptions } from '../assumptions/registry.ts'
import type { FieldCode, FieldProblem } from './problems.ts'

/**
 * The shapes of the contract (section 2) and of fixtures. No exported type names a type of the schema library, so that
 * published types do not depend on it.
 */

const plantEntries = { name: v.string(), tag: v.string() }
/** The characters of a bearer token (RFC 6750, 2.1), as the source of a regular expression. */
export const b64tokenPattern = '[A-Za-z0-9\\-._~+/]+=*'
const b64token = new RegExp(`^${b64tokenPattern}$`)

const id = v.pipe(v.number(), v.safeInteger())
const plant = v.object(plantEntries) satisfies v.GenericSchema<Plant>
const caller = v.pipe(v.string(), v.regex(b64token))
const fixturePlant = v.strictObject({ ...plantEntries, id: v.optional(id), access: v.optional(v.array(caller)) })
/** A plant in a response (2.1, 2.2). */
const shownPlant = v.strictObject(plantEntries)
/** A plant in a request with the stated types; which fields are required is not shown (2.3). */
const sentPlant = v.strictObject({ name: v.optional(v.string()), id: v.optional(id), tag: v.optional(v.string()) })

/** A plant as responses show it: `name` and `tag` (contract.md, 2). */
export type Plant = { readonly name: string; readonly tag: string }

/** A plant as a create sends it: `name`, `id` (an integer) and `tag` (contract.md, 4.1). */
export type NewPlant = Plant & { readonly id: number }

/** The bearer token of a caller. */
export type Caller = string

/**
 * A plant of a fixture. `access` lists the tokens of the callers that may list it; without it, every caller may.
 * Plants known only from lists have no `id`.
 */
export type FixturePlant = Plant & { readonly id?: number; readonly access?: readonly Caller[] }

/** A valid create under assumptions that make fields optional: `id` may be missing, missing strings are `""`. */
export type PlantDraft = Plant & { readonly id: number | undefined }

export type Validated<T> = { readonly value: T } | { readonly errors: readonly FieldProblem[] }

/** True for an integer that JSON in JavaScript can tell from its neighbours. */
export const isSafeId = (value: unknown): value is number => Number.isSafeInteger(value)

/** True for text that may follow `Bearer ` (RFC 6750, 2.1). */
export const isBearerToken = (text: string): boolean => b64token.test(text)

type Policy = Pick<Assumptions, 'create.required' | 'create.unknownFields' | 'create.emptyStrings'>

/** The schema of a create's body under the given assumptions; the OpenAPI document shows it as JSON Schema. */
const bodySchema = (policy: Policy) => {
  const text = policy['create.emptyStrings'] === 'reject' ? v.pipe(v.string(), v.minLength(1)) : v.string()
  const required = new Set(policy['create.required'].split('+'))
  const entry = <T extends v.GenericSchema>(name: string, schema: T) =>
    required.has(name) ? schema : v.optional(schema)
  const entries = { name: entry('name', text), id: entry('id', id), tag: entry('tag', text) }
  return policy['create.unknownFields'] === 'reject' ? v.strictObject(entries) : v.object(entries)
}

/** A validator for the body of a create. It does not throw; it returns one problem for each invalid field. */
export const plantValidator = (policy: Policy): ((body: unknown) => Validated<PlantDraft>) => {
  const schema = bodySchema(policy)
  const acceptsPlain = policy['create.unknownFields'] === 'ignore' && policy['create.emptyStrings'] === 'accept'
  return (body) => {
    // perf: the schema gives the same result, but costs more than the rest of a create (`npm run bench`).
    if (acceptsPlain && isPlain(body)) return { value: { name: body.name, id: body.id, tag: body.tag } }
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
 * Violations in the body of a create (2, 4.1): fields of another type than stated, and fields that the contract does not
 * name. A missing field is no violation, because the contract does not show which are required.
 */
export const sentPlantViolations = (body: unknown): readonly string[] => violations(sentPlant, body)

/** Violations in a plant of a response, which has exactly `name` and `tag`, both strings (2.1, 2.2). */
export const shownPlantViolations = (value: unknown): readonly string[] => violations(shownPlant, value)

const violations = (schema: v.GenericSchema, value: unknown): readonly string[] => {
  const result = validate(schema, value)
  return 'errors' in result ? result.errors.map(describeField) : []
}

/** A problem in words: `#/name` becomes `name`, `#` the body. */
export const describeField = (problem: FieldProblem): string => {
  const field = 'pointer' in problem ? decodeURIComponent(problem.pointer.slice(2)) : problem.parameter
  return `${field === '' ? 'The body' : field} ${problem.detail}`
}

/** Validates one plant of a fixture: its shape, and that each token in `access` can be sent as a bearer token. */
export const validateFixturePlant = (value: unknown): Validated<FixturePlant> =>
  // perf: fixtures may have a million plants; the schema takes a multiple of the time (`npm run bench`, start).
  isPlain(value) && hasOnlyPlantFields(value) ? { value } : (validate(fixturePlant, value) as Validated<FixturePlant>)

const hasOnlyPlantFields = (plant: FixturePlant): boolean => {
  for (const key in plant)
    if (key === 'access' ? !isAccess(plant.access) : key !== 'name' && key !== 'id' && key !== 'tag') return false
  return true
}

const isAccess = (value: unknown): boolean => Array.isArray(value) && value.every(isToken)
const isToken = (value: unknown): boolean => typeof value === 'string' && isBearerToken(value)

/** The schemas from which documents are generated, as values of the schema library. */
export const schemas = {
  plant: plant as unknown,
  newPlant: (policy: Policy): unknown => bodySchema(policy),
  fixturePlant: fixturePlant as unknown,
}

const validate = <T extends v.GenericSchema>(schema: T, value: unknown): Validated<v.InferOutput<T>> => {
  if (Array.isArray(value))
    return { errors: [{ code: 'type', pointer: '#', detail: 'must be an object, not an array' }] }
  const result = v.safeParse(schema, value)
  return result.success ? { value: result.output } : { errors: result.issues.map(problemOf) }
}

const problemOf = (issue: v.BaseIssue<unknown>): FieldProblem => {
  const code = codeOf(issue)
  const pointer = `#${(issue.path ?? []).map(({ key }) => `/${escapePointer(String(key))}`).join('')}`
  return { code, pointer, detail: detailOf(code, issue) }
}

/** RFC 6901, 3 and 6: `~` and `/` are escaped, then the whole is percent-encoded as a fragment. */
const escapePointer = (key: string): string =>
  encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1').toWellFormed())

const codeOf = ({ type, expected, received, input }: v.BaseIssue<unknown>): FieldCode => {
  if (type === 'min_length') return 'empty'
  if (type === 'regex') return 'not-a-token'
  if (type === 'safe_integer' && Number.isInteger(input)) return 'out-of-range'
  if (expected === 'never') return 'unknown'
  const isObjectIssue = type === 'object' || type === 'strict_object'
  return isObjectIssue && received === 'undefined' ? 'required' : 'type'
}

const detailOf = (code: FieldCode, { type, received, input }: v.BaseIssue<unknown>): string => {
  switch (code) {
    case 'empty':
      return 'must not be empty'
    case 'not-a-token':
      return 'must be a bearer token: letters, digits and -._~+/ only, then any number of ='
    case 'out-of-range':
      return `must lie between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`
    case 'unknown':
      return 'is not a field of a plant'
    case 'required':
      return 'is required'
    default:
      return `must be ${expectedKinds[type] ?? 'an object'}, not ${type === 'safe_integer' ? received : kindOf(input)}`
  }
}

/** By the type of the issue. */
const expectedKinds: Readonly<Record<string, string>> = {
  string: 'a string',
  array: 'an array',
  number: 'an integer',
  safe_integer: 'an integer',
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'an array'
  return { object: 'an object', number: 'a number' }[typeof value as string] ?? `a ${typeof value}`
}
