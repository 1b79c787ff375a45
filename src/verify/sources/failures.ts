import { type AssumptionId, parseValue } from '../../core/assumptions/registry.ts'
import { hasPlaceholder } from '../../core/assumptions/template.ts'
import { isJsonLikeType } from '../../core/http/media-type.ts'
import { type Side, securityOf } from './operations.ts'
import { entriesOf, isMarked, jsonIn, type Reader, type Shape, type Spot, type Tree } from './tree.ts'

type Failure = {
  /** `undefined` for `default` and `4XX`. */
  readonly status: number | undefined
  readonly spot: Spot
  readonly form: FailureForm | undefined
}

/** A value of `error.body`, or the reason why none describes the body. */
type FailureForm =
  | { readonly value: string; readonly reason?: never }
  | { readonly reason: string; readonly value?: never }

type FailingSide = Side & { readonly failures: readonly Failure[] }

export const readFailures = (reader: Reader, given: readonly Side[]): void => {
  const sides = given.map((side) => ({ ...side, failures: failuresOf(reader, side.responses) }))
  const create = sides.find(({ name }) => name === 'create')
  const list = sides.find(({ name }) => name === 'list')
  readTokenStatus(reader, sides)
  const invalid = create && readCreateStatuses(reader, create)
  const limit = list && readInvalid(reader, list, 'an invalid limit')
  if (limit !== undefined)
    reader.set('error.limitStatus', invalid?.status === limit.status ? 'same' : (limit.status ?? ''), limit.spot)
  for (const side of sides) noteUnknown(reader, side)
  readBodies(reader, create?.failures ?? [], list?.failures ?? [])
}

const find = (failures: readonly Failure[], ...statuses: readonly (number | undefined)[]): Failure | undefined =>
  failures.find(({ status }) => statuses.includes(status))

/** If 400 is the only listed failure, it applies to every refusal. A single 422 would apply to invalid fields only. */
const isOnly400 = ({ failures }: FailingSide): boolean => failures.length === 1 && failures[0]?.status === 400

const weakEvidence = ['weak: only 400 is listed', 'one listed failure'] as const

const readTokenStatus = (reader: Reader, sides: readonly FailingSide[]): void => {
  const { set, unsupported } = reader
  const telling = sides.filter(({ failures }) => failures.length > 0)
  const [first] = telling
  if (first === undefined) return
  const unauthorized = telling.map(({ failures }) => find(failures, 401))
  const forbidden = telling.map(({ failures }) => find(failures, 403))
  const [known] = unauthorized.flatMap((one) => one ?? [])
  if (known && unauthorized.some((one, i) => one === undefined && forbidden[i] !== undefined))
    unsupported(known.spot, 'One operation lists 401, the other 403: the status of a missing token stays open.')
  else if (known) set('auth.status', 401, known.spot)
  else if (forbidden.every((one) => one !== undefined)) set('auth.status', 403, (forbidden[0] as Failure).spot)
  else if (telling.every(isOnly400) && sides.some(({ operation }) => securityOf(reader, operation).needsToken)) {
    set('auth.status', 400, first.responses, ...weakEvidence)
    for (const id of ['auth.unknownStatus', 'auth.malformedStatus'] as const)
      set(id, 'same', first.responses, ...weakEvidence)
  }
}

/** The failure for invalid requests; `undefined` with a note if both 400 and 422 are listed. */
const readInvalid = (
  { unsupported }: Reader,
  { failures, responses }: FailingSide,
  request: string,
): Failure | undefined => {
  const [found, other] = [400, 422].flatMap((status) => find(failures, status) ?? [])
  if (other === undefined) return found
  unsupported(responses, `400 and 422 are listed: which of them ${request} returns stays open.`)
  return undefined
}

const readCreateStatuses = (reader: Reader, side: FailingSide): Failure | undefined => {
  const { set } = reader
  const { failures, responses } = side
  const invalid = readInvalid(reader, side, 'an invalid create')
  if (invalid?.status !== undefined) set('error.invalidStatus', invalid.status, invalid.spot)
  const conflict = find(failures, 409)
  if (conflict) set('create.duplicateStatus', 409, conflict.spot)
  const unsupported = find(failures, 415)
  if (unsupported) set('create.contentType', 'require', unsupported.spot)
  if (isOnly400(side)) {
    set('create.duplicateStatus', 400, responses, ...weakEvidence)
    set('error.syntaxStatus', 'same', responses, ...weakEvidence)
  }
  return invalid
}

const knownStatuses: readonly unknown[] = [400, 401, 403, 413, 422, undefined]

const noteUnknown = ({ unsupported }: Reader, { name, failures, responses }: FailingSide): void => {
  const known = name === 'create' ? [...knownStatuses, 409, 415] : knownStatuses
  const unknown = failures.map(({ status }) => status).filter((status) => !known.includes(status))
  if (unknown.length > 0)
    unsupported(
      responses,
      `${unknown.join(' and ')}: the document does not say for which requests, so the mock never returns this.`,
    )
}

/** Sets `error.body`, and the assumption for a kind of failure if its body differs from that. */
const readBodies = ({ set, unsupported }: Reader, create: readonly Failure[], list: readonly Failure[]): void => {
  const withBody = (failures: readonly Failure[], ...statuses: readonly (number | undefined)[]) =>
    failures.filter(({ status, form }) => statuses.includes(status) && form !== undefined)
  const groups = [create, list].flatMap((side) => [withBody(side, 400, 422), withBody(side, undefined)])
  const told = new Set<string>()
  const tell = ({ spot }: Failure, reason: string) => {
    if (!told.has(reason)) unsupported(spot, `The body of a failure stays open: ${reason}.`)
    told.add(reason)
  }
  const read = (id: AssumptionId, failures: readonly Failure[], usual?: string): string | undefined => {
    const [first] = failures
    if (first === undefined) return undefined
    const values = new Set(failures.map(({ form }) => form?.value))
    const [value] = values
    const unclear = failures.find(({ form }) => form?.reason)
    if (unclear?.form?.reason) tell(unclear, unclear.form.reason)
    else if (values.size > 1) tell(first, `${failures.map(({ status }) => status).join(' and ')} have different bodies`)
    else if (value !== undefined && value !== usual) set(id, value, first.spot)
    return values.size === 1 ? value : undefined
  }
  const usual = read('error.body', groups.find((group) => group.length > 0) ?? [])
  read('error.authBody', withBody([...create, ...list], 401, 403), usual)
  read('error.duplicateBody', withBody(create, 409), usual)
  read('error.syntaxBody', withBody(create, 413, 415), usual)
  read('error.limitBody', withBody(list, 400, 422), usual)
}

const failuresOf = (tree: Tree, responses: Spot): readonly Failure[] =>
  entriesOf(responses).flatMap(([key, spot]) => {
    if (!/^(?:4\d\d|4XX|default)$/i.test(key)) return []
    const status = /^\d+$/.test(key) ? Number(key) : undefined
    return [{ status, spot, form: formOf(tree, tree.at(spot, 'content')) }]
  })

const formOf = (tree: Tree, content: Spot): FailureForm | undefined => {
  const { types, jsonTypes, shape } = jsonIn(tree, content)
  const [type, other] = jsonTypes
  if (types.length === 0) return undefined
  if (other !== undefined) return { reason: `it may be ${type} or ${other}` }
  if (type === undefined) {
    const named = ({ 'text/plain': 'text', 'text/html': 'html' } as const)[types.join().replace(/ *;.*/, '')]
    return named === undefined ? { reason: `it is ${types.join(' or ')}` } : { value: named }
  }
  const required = [...(shape?.required?.names ?? [])]
  if (/^application\/problem\+json\b/i.test(type) && required.every((name) => standardMembers.has(name)))
    return { value: 'problem' }
  if (shape === undefined) return undefined
  const filled = filler(tree)(shape)
  if (filled === undefined) return { reason: 'its schema does not determine the content' }
  const prefix = isJsonLikeType(type) && !/^application\/json$/i.test(type) ? `${type} ` : ''
  const value = parseValue('error.body', `${prefix}${JSON.stringify(filled)}`)
  return value === undefined ? { reason: 'it is not an object' } : { value: String(value) }
}

/** The members that every problem document of the mock has. */
const standardMembers: ReadonlySet<string> = new Set(['type', 'title', 'status', 'detail'])

/** Samples for texts that hold no sentence, by the end of their name, or by their format. */
const samples: readonly { readonly name?: RegExp; readonly format?: RegExp; readonly text: string }[] = [
  { name: /^instance$/i, format: /^uri(?:-reference)?$/, text: 'about:blank' },
  { name: /(?:code|kind|type)$|^status$/i, text: '{status:text}' },
  { name: /(?:time|timestamp|date)$/i, format: /^date-time$/, text: '2000-01-01T00:00:00Z' },
  { format: /^date$/, text: '2000-01-01' },
  { name: /id$/i, format: /^uuid$/, text: '00000000-0000-0000-0000-000000000000' },
]

const sampleFor = (by: 'name' | 'format', word: unknown): string | undefined =>
  samples.find((sample) => sample[by]?.test(String(word)))?.text

/** Bounds for recursive schemas: no real failure has more members or levels. */
const [maxMembers, maxDepth] = [200, 6]

/**
 * Makes a function that fills a schema with placeholders: `{status}` for an integer, `{detail}` for a text. It returns
 * `undefined` if the schema does not determine the value.
 */
const filler = (tree: Tree) => {
  let members = 0
  const fill = (shape: Shape, name = '', above: readonly (readonly Spot[])[] = [], isInList = false): unknown => {
    if (++members > maxMembers || above.length > maxDepth || shape.hasChoices) return undefined
    const inside = [...above, shape.parts]
    const literal = literalIn(shape)
    if (literal !== undefined) return literal.value
    const [type, other] = [...(shape.types ?? [])].filter((one) => one !== 'null')
    if (type === undefined || other !== undefined) return undefined
    if (type === 'object') return fillObject(shape, inside, isInList)
    if (type === 'array') {
      const items = fill(tree.shapeOf(...shape.all('items')), name, inside, true)
      return items === undefined ? undefined : [items]
    }
    if (type === 'string') return textFor(shape, name, isInList)
    return (type === 'integer' || type === 'number') && shape.all('enum').length === 0 ? '{status}' : undefined
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

/** Text or a number without a format, or a flat object: no sample would match a code, a time or an id. */
const isProbablySent = (shape: Shape, name: string, above: readonly (readonly Spot[])[]): boolean => {
  const { types, parts, all } = shape
  if (types?.has('object')) return !above.flat().some(({ value }) => parts.some((part) => part.value === value))
  const isNamed = sampleFor('name', name) !== undefined && !/^status$/i.test(name)
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
  if (all('enum').length > 0 || all('pattern').length > 0) return undefined
  if (format !== undefined) return sampleFor('format', format.value)
  // Next to the message, `path` is the path of the request.
  if (!isInList && /^path$/i.test(name)) return '{path}'
  if (namesInvalidField.test(name)) return '{field}'
  const named = sampleFor('name', name)
  const example = exampleIn(shape)
  return named === undefined ? '{detail}' : example === undefined || /^[45]\d\d$/.test(example) ? named : example
}
