type JsonType = 'string' | 'number' | 'integer' | 'array' | 'object' | 'null'

/** A JSON Schema (2020-12), limited to the keywords that `issuesOf` checks. */
export type Schema = {
  readonly type?: JsonType | readonly JsonType[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly format?: 'int32' | 'int64'
  readonly minLength?: number
  readonly pattern?: string
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly propertyNames?: Schema
  readonly additionalProperties?: false | Schema
}

export type Issue = {
  readonly path: readonly (string | number)[]
  readonly value: unknown
  readonly keyword: keyof Schema
  readonly schema: Schema
}

/** Accepts inherited and optional `undefined` properties: values may be objects of a program, not parsed JSON. */
export const issuesOf = (schema: Schema, value: unknown, path: Issue['path'] = []): readonly Issue[] => {
  const keyword = violatedKeyword(schema, value)
  if (keyword !== undefined) return [{ path, value, keyword, schema }]
  if (schema.type === 'array') return itemIssues(schema, value as readonly unknown[], path)
  return schema.type === 'object' ? propertyIssues(schema, value as object, path) : []
}

/** Accepts arrays as objects, because callers refuse arrays with their own messages. */
const hasType: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && !Number.isNaN(value),
  integer: Number.isInteger,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null,
  null: (value) => value === null,
}

const isNumeric = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

const bounds = { int32: 2n ** 31n, int64: 2n ** 63n } as const

/** In JSON Schema, a keyword about numbers, strings or arrays accepts values of all other types. */
const checks: {
  readonly [Keyword in keyof Schema]?: (
    expected: NonNullable<Schema[Keyword]>,
    value: unknown,
    schema: Schema,
  ) => boolean
} = {
  type: (type, value, { format }) =>
    (typeof type === 'string' ? hasType[type](value) : type.some((one) => hasType[one](value))) ||
    (format === 'int64' && typeof value === 'bigint'),
  enum: (values, value) => values.includes(value),
  const: (expected, value) => value === expected,
  anyOf: (alternatives, value) => alternatives.some((schema) => issuesOf(schema, value).length === 0),
  minimum: (minimum, value) => typeof value !== 'number' || value >= minimum,
  maximum: (maximum, value) => typeof value !== 'number' || value <= maximum,
  format: (format, value) => !isNumeric(value) || (value >= -bounds[format] && value < bounds[format]),
  minLength: (length, value) => typeof value !== 'string' || value.length >= length,
  pattern: (pattern, value) => typeof value !== 'string' || new RegExp(pattern).test(value),
  minItems: (length, value) => !Array.isArray(value) || value.length >= length,
}

const violatedKeyword = (schema: Schema, value: unknown): keyof Schema | undefined =>
  (Object.keys(checks) as (keyof Schema)[]).find(
    (keyword) => keyword in schema && checks[keyword]?.(schema[keyword] as never, value, schema) === false,
  )

const itemIssues = ({ items, prefixItems }: Schema, values: readonly unknown[], path: Issue['path']) =>
  // Spreads the array, which turns holes into `undefined`, because `flatMap` skips holes.
  [...values].flatMap((value, index) => {
    const schema = prefixItems?.[index] ?? items
    return schema === undefined ? [] : issuesOf(schema, value, [...path, index])
  })

const propertyIssues = (schema: Schema, given: object, path: Issue['path']): readonly Issue[] => {
  const value = given as Readonly<Record<string, unknown>>
  const { properties = {}, required = [], propertyNames, additionalProperties } = schema
  const issues: Issue[] = []
  for (const [key, property] of Object.entries(properties)) {
    const isRequired = required.includes(key)
    if (key in value) {
      if (isRequired || value[key] !== undefined) issues.push(...issuesOf(property, value[key], [...path, key]))
    } else if (isRequired) issues.push({ path: [...path, key], value: undefined, keyword: 'required', schema })
  }
  for (const key in value) {
    if (Object.hasOwn(properties, key)) continue
    const unknown = { path: [...path, key], value: value[key], schema }
    if (additionalProperties === false) return [...issues, { ...unknown, keyword: 'additionalProperties' }]
    if (propertyNames !== undefined) issues.push(...issuesOf(propertyNames, key, unknown.path))
    if (additionalProperties !== undefined) issues.push(...issuesOf(additionalProperties, value[key], unknown.path))
  }
  return issues
}
