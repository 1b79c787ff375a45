import { isJsonObject } from '../../util/json.ts'
import { type Issue, issuesOf, type Schema } from '../../util/schema.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { FieldCode, FieldProblem } from './problems.ts'

export const b64tokenPattern = '[A-Za-z0-9\\-._~+/]+=*'
const b64token = new RegExp(`^${b64tokenPattern}$`)

const text: Schema = { type: 'string' }
const nullableText: Schema = { type: ['string', 'null'] }
const integer: Schema = { type: 'integer' }
const ids: Readonly<Record<Assumptions['create.idRange'], Schema>> = {
  'safe-integer': { ...integer, minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  int32: { ...integer, format: 'int32' },
  int64: { ...integer, format: 'int64' },
}
const caller: Schema = { type: 'string', pattern: b64token.source }

const object = (properties: NonNullable<Schema['properties']>, required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  required,
})
const closed = (schema: Schema): Schema => ({ ...schema, additionalProperties: false })

const fixturePlant = closed(
  object({ name: text, tag: nullableText, id: ids.int64, access: { type: 'array', items: caller } }, ['name']),
)
const shownPlant = closed(object({ name: text, tag: text }, ['name', 'tag']))
const untaggedPlant = closed(object({ name: text }, ['name']))
const sentPlant = closed(object({ name: text, id: integer, tag: text }, []))

/** A plant as responses show it: without its id (contract.md, 2). */
export type Plant = { readonly name: string; readonly tag: string }

export type ShownPlant = Pick<Plant, 'name'> & { readonly tag?: string | null }

/** An id beyond ±(2^53 - 1) is a bigint, because a number would lose precision (`create.idRange=int64`). */
export type PlantId = number | bigint

/** The body of a create: `name`, an integer `id`, and `tag` (contract.md, 4.1). */
export type NewPlant = Plant & { readonly id: PlantId }

/**
 * A plant of a fixture.
 * A plant without `id` is known only from lists. `access` lists the tokens of the callers that may list the plant;
 * without `access`, every caller may. A plant may lack `tag` if `create.required` does not name `tag`;
 * `create.missingTag` decides how responses show a plant without a tag. Responses show a `null` tag as `null`.
 */
export type FixturePlant = Pick<Plant, 'name'> & {
  readonly id?: PlantId
  readonly tag?: string | null
  readonly access?: readonly string[]
}

export type PlantDraft = Pick<Plant, 'name'> & {
  readonly id: PlantId | undefined
  readonly tag: string | null | undefined
}

export type Validated<T> = { readonly value: T } | { readonly errors: readonly FieldProblem[] }

export const isPlantId = (value: unknown): value is PlantId =>
  Number.isSafeInteger(value) || (typeof value === 'bigint' && issuesOf(ids.int64, value).length === 0)

/** Gives equal ids one type: `parseExactJson` returns 1e18 as a number, but 1000000000000000000 as a bigint. */
const normalId = (id: PlantId | undefined): PlantId | undefined => {
  if (id === undefined || Number.isSafeInteger(id)) return id
  const exact = BigInt(id)
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
}

export const parsePlantId = (text = ''): PlantId | undefined => {
  const id = /^(?:0|-?[1-9]\d{0,18})$/.test(text) ? normalId(BigInt(text)) : undefined
  return isPlantId(id) ? id : undefined
}

/** perf: `(id | 0) !== id` detects an id beyond 32 bits without the schema (`npm run bench`, POST). */
export const isLargeId = (id: unknown): boolean => typeof id === 'bigint' || (typeof id === 'number' && (id | 0) !== id)

export const isBearerToken = (text: string): boolean => b64token.test(text)

type Policy = Pick<
  Assumptions,
  'create.required' | 'create.nullTag' | 'create.unknownFields' | 'create.emptyStrings' | 'create.idRange'
>

export const requiresTag = (policy: Pick<Policy, 'create.required' | 'create.nullTag'>): boolean =>
  policy['create.required'].split('+').includes('tag') && policy['create.nullTag'] === 'reject'

const responseSchema = (policy: Policy & Pick<Assumptions, 'create.missingTag'>): Schema => {
  const missingTag = requiresTag(policy) ? 'none' : policy['create.missingTag']
  const isNullable = missingTag === 'null' || policy['create.nullTag'] === 'null'
  const properties = { name: text, tag: isNullable ? nullableText : text }
  return closed(object(properties, missingTag === 'omit' ? ['name'] : ['name', 'tag']))
}

const bodySchema = (policy: Policy): Schema => {
  const empty = policy['create.emptyStrings']
  const sentText = (field: 'name' | 'tag') =>
    empty === 'reject' || empty === `reject-${field}` ? { ...text, minLength: 1 } : text
  const required = policy['create.required'].split('+')
  const tag = policy['create.nullTag'] === 'reject' ? sentText('tag') : { ...sentText('tag'), ...nullableText }
  const properties = { name: sentText('name'), id: ids[policy['create.idRange']], tag }
  const schema = object(
    properties,
    Object.keys(properties).filter((name) => required.includes(name)),
  )
  return policy['create.unknownFields'] === 'reject' ? closed(schema) : schema
}

export const validatePlant = (body: unknown, policy: Policy): Validated<PlantDraft> => {
  const acceptsPlain =
    policy['create.unknownFields'] === 'ignore' &&
    policy['create.emptyStrings'] === 'accept' &&
    policy['create.idRange'] !== 'int32'
  // perf: skips the schema for a usual create (`npm run bench`).
  if (acceptsPlain && isPlain(body)) return { value: { name: body.name, id: body.id, tag: body.tag } }
  const errors = problemsOf(bodySchema(policy), policy['create.idRange'] === 'int64' ? body : withNumber(body))
  if (errors.length > 0) return { errors }
  const { name = '', id, tag } = body as FixturePlant
  return {
    value: { name, id: normalId(id), tag: tag === null && policy['create.nullTag'] === 'absent' ? undefined : tag },
  }
}

const withNumber = (body: unknown): unknown =>
  isJsonObject(body) && typeof body.id === 'bigint' ? { ...body, id: Number(body.id) } : body

const isPlain = (body: unknown): body is NewPlant & { readonly id: number } => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const { name, id, tag } = body as Partial<NewPlant>
  return typeof name === 'string' && typeof tag === 'string' && Number.isSafeInteger(id)
}

export const sentPlantViolations = (body: unknown): readonly string[] =>
  violations(sentPlant, body).map((violation) => `${violation}.`)

export const shownPlantViolations = (value: unknown, mayLackTag = false): readonly string[] => {
  // perf: skips the schema for a usual plant, because the schema would take most of a list's time (`verify --learn`).
  if (isUsualPlant(value)) return []
  return mayLackTag && isUntagged(value) ? violations(untaggedPlant, withoutTag(value)) : violations(shownPlant, value)
}

export const isShownPlant = (value: unknown): value is ShownPlant => shownPlantViolations(value, true).length === 0

const isUsualPlant = (value: unknown): boolean =>
  isJsonObject(value) &&
  typeof value.name === 'string' &&
  typeof value.tag === 'string' &&
  Object.keys(value).length === 2

const isUntagged = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isJsonObject(value) && (value.tag === undefined || value.tag === null)

const withoutTag = ({ tag: _, ...others }: Readonly<Record<string, unknown>>) => others

const violations = (schema: Schema, value: unknown): readonly string[] => problemsOf(schema, value).map(describeField)

export const describeField = (problem: FieldProblem): string => {
  const field = fieldNameOf(problem)
  return `${field === '' ? 'The body' : field} ${problem.detail}`
}

export const fieldNameOf = (problem: FieldProblem): string =>
  'pointer' in problem ? decodeURIComponent(problem.pointer.slice(2)) : problem.parameter

export const validateFixturePlant = (value: unknown): Validated<FixturePlant> => {
  // perf: skips the schema for a valid plant, because a fixture may have a million plants (`npm run bench`, start).
  if (isFixturePlant(value)) return { value }
  const errors = problemsOf(fixturePlant, value)
  if (errors.length > 0) return { errors }
  const { id, ...plant } = value as FixturePlant
  return { value: id === undefined ? plant : { id: normalId(id) as PlantId, ...plant } }
}

const isFixturePlant = (value: unknown): value is FixturePlant => {
  if (typeof value !== 'object' || value === null || !hasOnlyFixtureFields(value)) return false
  const { name, id, tag, access } = value as Partial<FixturePlant>
  if (typeof name !== 'string' || !(tag === undefined || tag === null || typeof tag === 'string')) return false
  if (!(id === undefined || Number.isSafeInteger(id))) return false
  return access === undefined || (Array.isArray(access) && hasOnlyTokens(access))
}

const hasOnlyFixtureFields = (plant: object): boolean => {
  for (const key in plant) if (key !== 'name' && key !== 'id' && key !== 'tag' && key !== 'access') return false
  return true
}

const hasOnlyTokens = (access: readonly unknown[]): boolean => {
  for (const token of access) if (typeof token !== 'string' || !isBearerToken(token)) return false
  return true
}

export type Json = { readonly [key: string]: unknown }

export const fixtureFileSchema = (): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Fixtures of plant-mock',
  description:
    'The plants that a mock starts with. access lists the tokens of the callers that see a plant; without it, all do.',
  type: 'object',
  properties: { $schema: { type: 'string' }, plants: { type: 'array', items: fixturePlant } },
  required: ['plants'],
  additionalProperties: false,
})

export const schemas = { plant: responseSchema, newPlant: bodySchema, fixturePlant }

const problemsOf = (schema: Schema, value: unknown): readonly FieldProblem[] =>
  Array.isArray(value)
    ? [{ code: 'type', pointer: '#', detail: 'must be an object, not an array' }]
    : issuesOf(schema, value).map(problemOf)

const problemOf = ({ path, keyword, schema: { type = 'object', format }, value }: Issue): FieldProblem => {
  const pointer = `#${path.map((key) => `/${escapePointer(String(key))}`).join('')}`
  const isMissing = keyword === 'type' && type === 'object' && value === undefined
  if (keyword === 'minimum' || keyword === 'maximum' || keyword === 'format')
    return { code: 'out-of-range', pointer, detail: `must lie between ${rangeOf(format)}` }
  const refusal = refusals[isMissing ? 'required' : keyword]
  if (refusal !== undefined) return { code: refusal[0], pointer, detail: refusal[1] }
  const isNumber = typeof value === 'number' && !Number.isNaN(value)
  const sent = type === 'integer' && isNumber ? value : kindOf(value)
  const [expected = 'object'] = [type].flat()
  return { code: 'type', pointer, detail: `must be ${withArticle(expected)}, not ${sent}` }
}

const rangeOf = (format: Schema['format']): string => {
  if (format === undefined) return `${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`
  const bound = 2n ** (format === 'int32' ? 31n : 63n)
  return `${-bound} and ${bound - 1n}`
}

/** RFC 6901 escapes `~` and `/` in a JSON pointer (3), and percent-encodes a pointer in a URI fragment (6). */
const escapePointer = (key: string): string =>
  encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1').toWellFormed())

const refusals: Readonly<Partial<Record<Issue['keyword'], readonly [code: FieldCode, detail: string]>>> = {
  required: ['required', 'is required'],
  minLength: ['empty', 'must not be empty'],
  pattern: ['not-a-token', 'must be a bearer token: letters, digits and -._~+/ only, then any number of ='],
  additionalProperties: ['unknown', 'is not a field of a plant'],
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'a number'
  return value === undefined ? 'missing' : withArticle(Array.isArray(value) ? 'array' : typeof value)
}

const withArticle = (noun: string): string => `${/^[aio]/.test(noun) ? 'an' : 'a'} ${noun}`
