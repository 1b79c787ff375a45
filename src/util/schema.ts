/** A JSON Schema (2020-12), as far as `issuesOf` checks it: a document can show the same schema that checks a value. */
export type Schema = {
  readonly type?: 'string' | 'number' | 'integer' | 'array' | 'object'
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  /** The source of a regular expression. */
  readonly pattern?: string
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly propertyNames?: Schema
  readonly additionalProperties?: false | Schema
}

/** A point at which a value does not match a schema. */
export type Issue = {
  /** The keys of objects and indices of arrays that lead to `value`. */
  readonly path: readonly (string | number)[]
  readonly value: unknown
  /** The violated keyword, and the schema that has it. */
  readonly keyword: keyof Schema
  readonly schema: Schema
}

/**
 * Compares a value with a schema. In values that did not come from JSON, an optional property may be `undefined`, and
 * inherited properties count.
 * @returns Its issues in the order of the schema: one for each value, and of unknown properties only the first.
 */
export const issuesOf = (schema: Schema, value: unknown, path: Issue['path'] = []): readonly Issue[] => {
  const keyword = violatedKeyword(schema, value)
  if (keyword !== undefined) return [{ path, value, keyword, schema }]
  if (schema.type === 'array') return itemIssues(schema, value as readonly unknown[], path)
  return schema.type === 'object' ? propertyIssues(schema, value as object, path) : []
}

/** NaN is no number. An array without properties counts as an empty object, which the callers refuse in their words. */
const hasType: Readonly<Record<NonNullable<Schema['type']>, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && !Number.isNaN(value),
  integer: Number.isInteger,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null,
}

const violatedKeyword = (schema: Schema, value: unknown): keyof Schema | undefined => {
  const { type } = schema
  if (type !== undefined && !hasType[type](value)) return 'type'
  if (schema.enum?.includes(value) === false) return 'enum'
  if ('const' in schema && value !== schema.const) return 'const'
  if (schema.anyOf?.every((alternative) => issuesOf(alternative, value).length > 0)) return 'anyOf'
  if (typeof value === 'number') return violatedByNumber(schema, value)
  if (typeof value === 'string') return violatedByText(schema, value)
  return Array.isArray(value) && value.length < (schema.minItems ?? 0) ? 'minItems' : undefined
}

const violatedByNumber = ({ minimum, maximum }: Schema, value: number): keyof Schema | undefined => {
  if (minimum !== undefined && value < minimum) return 'minimum'
  return maximum !== undefined && value > maximum ? 'maximum' : undefined
}

const violatedByText = ({ minLength = 0, pattern }: Schema, value: string): keyof Schema | undefined => {
  if (value.length < minLength) return 'minLength'
  return pattern !== undefined && !new RegExp(pattern).test(value) ? 'pattern' : undefined
}

const itemIssues = (
  { items, prefixItems }: Schema,
  values: readonly unknown[],
  path: Issue['path'],
): readonly Issue[] =>
  // The copy has `undefined` where the array has holes, which flatMap would skip.
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
