import { parseValue } from '../../core/assumptions/registry.ts'
import { hasPlaceholder } from '../../core/assumptions/template.ts'
import { isJsonLikeType } from '../../core/http/media-type.ts'
import { childOf, entriesOf, isMarked, type Shape, type Spot, type Tree } from './tree.ts'

export type Failure = {
  /** The status code; `undefined` for the keys `default` and `4XX`. */
  readonly status: number | undefined
  readonly spot: Spot
  readonly form: FailureForm | undefined
}

export type FailureForm = { readonly value: string } | { readonly reason: string }

export const noSchema: FailureForm = { reason: 'it has no schema, and an example alone is not read' }

export const failuresOf = (tree: Tree, responses: Spot): readonly Failure[] => {
  const listed = entriesOf(responses)
  // Ignores `default` if there is a `4XX`, because the mock imitates only 4xx failures.
  const isFailure = listed.some(([key]) => /^4XX$/i.test(key)) ? /^4(?:\d\d|XX)$/i : /^(?:4\d\d|default)$/i
  return listed.flatMap(([key, spot]) => {
    if (!isFailure.test(key)) return []
    const status = /^\d+$/.test(key) ? Number(key) : undefined
    return [{ status, spot, form: formOf(tree, tree.at(spot, 'content')) }]
  })
}

export const jsonIn = (
  tree: Tree,
  content: Spot,
): { readonly types: readonly string[]; readonly jsonTypes: readonly string[]; readonly shape: Shape | undefined } => {
  const types = entriesOf(content).map(([type]) => type)
  const jsonTypes = types.filter((type) => isJsonLikeType(type) || /^(?:\*|application)\/\*$/.test(type))
  const [first] = jsonTypes
  const schema = first === undefined ? undefined : childOf(tree.at(content, first), 'schema')
  return { types, jsonTypes, shape: schema?.value === undefined ? undefined : tree.shapeOf(schema) }
}

const formOf = (tree: Tree, content: Spot): FailureForm | undefined => {
  const { types, jsonTypes, shape } = jsonIn(tree, content)
  const [type, other] = jsonTypes
  if (types.length === 0) return undefined
  if (other !== undefined) return { reason: `it may be ${type} or ${other}` }
  if (type === undefined) {
    const named = ({ 'text/plain': 'text', 'text/html': 'html' } as const)[types.join().replace(/ *;.*/, '')]
    return named === undefined ? { reason: `it is ${types.join(' or ')}` } : { value: named }
  }
  const isProblem = /^application\/problem\+json\b/i.test(type)
  if (isProblem && [...(shape?.required?.names ?? [])].every((name) => standardMembers.has(name)))
    return { value: 'problem' }
  if (shape === undefined) return noSchema
  const filled = filler(tree, isProblem)(shape)
  if (filled === undefined) return { reason: 'its schema does not determine its content' }
  const prefix = isJsonLikeType(type) && !/^application\/json$/i.test(type) ? `${type} ` : ''
  const value = parseValue('error.body', `${prefix}${JSON.stringify(filled)}`)
  return value === undefined ? { reason: 'it is not an object' } : { value: String(value) }
}

const standardMembers: ReadonlySet<string> = new Set(['type', 'title', 'status', 'detail'])

const samplesOfFormats: ReadonlyMap<unknown, string> = new Map([
  ['date-time', '2000-01-01T00:00:00Z'],
  ['date', '2000-01-01'],
  ['uuid', '00000000-0000-0000-0000-000000000000'],
  ['uri', 'about:blank'],
  ['uri-reference', 'about:blank'],
])

const namedTexts: readonly (readonly [name: RegExp, text: string])[] = [
  [/^instance$/i, 'about:blank'],
  [/(?:code|kind|type)$|^status$/i, '{status:text}'],
  [/(?:time|timestamp|date)$/i, '2000-01-01T00:00:00Z'],
  [/id$/i, '00000000-0000-0000-0000-000000000000'],
]

const namedText = (name: string): string | undefined => namedTexts.find(([end]) => end.test(name))?.[1]

/** Limits for recursive schemas. No real failure body has more members or levels. */
const [maxMembers, maxDepth] = [200, 6]
const maxDetailLength = 200

const filler = (tree: Tree, isProblem: boolean) => {
  let members = 0
  const fill = (shape: Shape, name = '', above: readonly (readonly Spot[])[] = [], isInList = false): unknown => {
    if (++members > maxMembers || above.length > maxDepth) return undefined
    const inside = [...above, shape.parts]
    if (shape.choices.length > 0) {
      const filled = shape.choices.map((choice) =>
        fill(tree.shapeOf(...shape.parts.map(withoutChoices), choice), name, inside, isInList),
      )
      return filled.every((one) => JSON.stringify(one) === JSON.stringify(filled[0])) ? filled[0] : undefined
    }
    const literal = literalIn(shape)
    if (literal !== undefined) return literal.value
    const [type, other] = [...(shape.types ?? [])].filter((one) => one !== 'null')
    if (type === undefined || other !== undefined) return undefined
    if (type === 'object') return fillObject(shape, inside, isInList)
    if (type === 'array') {
      const items = fill(tree.shapeOf(...shape.all('items')), name, inside, true)
      return items === undefined ? undefined : [items]
    }
    if (type === 'string') return isProblem && name === 'type' ? 'about:blank' : textFor(shape, name, isInList)
    return (type === 'integer' || type === 'number') && takesStatus(shape) ? '{status}' : undefined
  }
  const fillObject = (shape: Shape, inside: readonly (readonly Spot[])[], isInList: boolean): unknown => {
    const filled: [string, unknown][] = []
    const names = new Set([...shape.names, ...(shape.required?.names ?? [])])
    if (names.size > maxMembers) return undefined
    const isTitle = (name: string) =>
      name === 'title' || (name === 'error' && messageNames.some((one) => names.has(one)))
    for (const name of names) {
      const property = shape.property(name)
      const isHidden = isMarked(property, 'writeOnly')
      const isRequired = shape.required?.names.has(name) && !isHidden
      if (!isRequired && (property === undefined || isHidden || !isProbablySent(property, name, inside))) continue
      const filledIn = property && fill(property, name, inside, isInList)
      const value = filledIn === '{detail}' && isTitle(name) ? '{title}' : filledIn
      if (value !== undefined && !hasPlaceholder(name)) filled.push([name, value])
      else if (isRequired) return undefined
    }
    return filled.length === 0 ? undefined : Object.fromEntries(filled)
  }
  return fill
}

const withoutChoices = (spot: Spot): Spot => {
  const { oneOf, anyOf, allOf, $ref, ...rest } = spot.value as Readonly<Record<string, unknown>>
  return { ...spot, value: rest }
}

const isProbablySent = (shape: Shape, name: string, above: readonly (readonly Spot[])[]): boolean => {
  const { types, parts, all } = shape
  if (types?.has('object')) return !above.flat().some(({ value }) => parts.some((part) => part.value === value))
  const isNamed = namedText(name) !== undefined && !/^status$/i.test(name)
  if (types?.has('string') && isNamed && exampleIn(shape) === undefined) return false
  return (
    ['string', 'integer', 'number'].some((type) => types?.has(type)) &&
    all('format').every(({ value }) => value === 'int32' || value === 'int64')
  )
}

const exampleIn = ({ all }: Shape): string | undefined => {
  const examples = [...all('example'), ...all('examples'), ...all('default')].flatMap(({ value }) => value)
  return examples.find((value): value is string => typeof value === 'string' && !hasPlaceholder(value))
}

const literalIn = ({ all }: Shape): { readonly value: unknown } | undefined => {
  const [constant] = all('const')
  const [list] = all('enum').map(({ value }) => value)
  const value = constant?.value ?? (Array.isArray(list) && list.length === 1 ? list[0] : undefined)
  if (value === undefined) return undefined
  const isUsable = ['boolean', 'number'].includes(typeof value) || (typeof value === 'string' && !hasPlaceholder(value))
  return { value: isUsable ? value : undefined }
}

const messageNames = ['message', 'detail', 'description', 'error_description']

const namesInvalidField = /^(?:field|path|pointer|param(?:eter)?|property)$/i

const textFor = (shape: Shape, name: string, isInList: boolean): string | undefined => {
  const { all } = shape
  const [format] = all('format')
  const isShort = all('maxLength').some(({ value }) => typeof value === 'number' && value < maxDetailLength)
  if (all('enum').length > 0 || all('pattern').length > 0 || isShort) return undefined
  if (format !== undefined) return samplesOfFormats.get(format.value)
  // Next to an error message, `path` is the path of the request. In a list of errors, `path` is the path of a field.
  if (!isInList && /^path$/i.test(name)) return '{path}'
  if (namesInvalidField.test(name)) return '{field}'
  const named = namedText(name)
  const example = exampleIn(shape)
  return named === undefined ? '{detail}' : example === undefined || /^[45]\d\d$/.test(example) ? named : example
}

const takesStatus = ({ all }: Shape): boolean =>
  all('enum').length === 0 &&
  all('minimum').every(({ value }) => typeof value === 'number' && value <= 400) &&
  all('maximum').every(({ value }) => typeof value === 'number' && value >= 499)
