import { shorten } from '../../util/text.ts'
import { childOf, entriesOf, isMarked, jsonIn, type Reader, type Shape, type Spot } from './tree.ts'

export type Side = ReturnType<typeof readSide>

const fields = ['name', 'id', 'tag'] as const
const shownFields = ['name', 'tag'] as const

const maxNames = 20
const { compare } = new Intl.Collator('en')

/** Sorts alphabetically: `diff` compares these texts, and the order in a document means nothing. */
const sorted = (names: Iterable<string>, word: string): string => {
  const all = [...names].sort(compare)
  const shown = all.slice(0, maxNames).map((name) => shorten(name))
  return [...shown, ...(all.length > maxNames ? [`${all.length - maxNames} more`] : [])].join(word)
}

/** Notes types other than `expected` and null. @returns Whether there are none. */
const checkType = (
  { contradicts }: Reader,
  shape: Shape | undefined,
  what: string,
  expected: string,
  section: string,
): boolean => {
  const types = [...(shape?.types ?? [])].filter((type) => type !== 'null')
  const [spot] = shape?.parts ?? []
  const isExpected = types.every((type) => type === expected)
  if (!isExpected && spot !== undefined)
    contradicts(spot, `${what} is ${sorted(types, ' or ')}, not ${expected}.`, section)
  return isExpected
}

/** Notes fields that are missing or of another type. @returns The names of the properties without `mark`. */
const checkPlant = (reader: Reader, shape: Shape, what: string, mark: string, section: string) => {
  const names = shape.names.filter((name) => !isMarked(shape.property(name), mark))
  const expected = mark === 'readOnly' ? fields : shownFields
  const missing = names.length === 0 ? [] : expected.filter((name) => !names.includes(name))
  const [spot] = [...shape.all('properties'), ...shape.parts]
  if (spot && missing.length > 0) reader.contradicts(spot, `${what} has no ${missing.join(' and no ')}.`, section)
  for (const name of expected) checkType(reader, shape.property(name), name, name === 'id' ? 'integer' : 'string', '2')
  return names
}

const jsonBodyIn = (reader: Reader, content: Spot, what: string, section: string): Shape | undefined => {
  const { types, jsonTypes, shape } = jsonIn(reader, content)
  if (types.length > 0 && jsonTypes.length === 0)
    reader.contradicts(content, `${what} is ${sorted(types, ' or ')}, not JSON.`, section)
  return shape
}

export const readSide = (reader: Reader, name: 'create' | 'list', operation: Spot) => {
  const { at, set, unsupported, contradicts, shapeOf } = reader
  const responses = at(operation, 'responses')
  const listed = entriesOf(responses).filter(([key]) => /^2(?:\d\d|XX)$/i.test(key))
  const statuses = listed.map(([key]) => key)
  const [status = ''] = statuses
  if (statuses.length > 1)
    unsupported(responses, `${statuses.join(' and ')} are listed: which of them a ${name} returns stays open.`)
  else if (/^\d+$/.test(status) && !set(`${name}.status`, status, responses, `only ${status} is listed`))
    unsupported(responses, `The status of a ${name} is ${status}, which the mock does not return.`)
  const bodies = listed.map(([, spot]) => spot).filter((spot) => entriesOf(at(spot, 'content')).length > 0)
  const [success] = bodies
  const side = { name, operation, responses, success }
  if (success === undefined || bodies.length > 1) return { ...side, plant: undefined }
  const headers = entriesOf(at(success, 'headers')).map(([header]) => shorten(header))
  if (headers.length > 0) unsupported(childOf(success, 'headers'), `The mock sends no ${sorted(headers, ', ')}.`)
  const body = jsonBodyIn(reader, at(success, 'content'), 'The response', '1')
  const isList = name === 'list' && checkType(reader, body, 'The list', 'array', '4.2')
  const shown = isList && body?.types ? shapeOf(...body.all('items')) : undefined
  const plant = name === 'create' ? body : shown
  const section = name === 'create' ? '2.1, 4.1' : '2.2, 4.2'
  if (plant && !plant.hasChoices && checkType(reader, plant, 'A plant', 'object', section)) {
    const what = name === 'create' ? 'The response of a create' : 'An element of the list'
    const more = checkPlant(reader, plant, what, 'writeOnly', section).filter((one) => one !== 'name' && one !== 'tag')
    const [spot] = plant.all('properties')
    if (spot && more.length > 0) contradicts(spot, `${what} has ${sorted(more, ', ')}.`, section)
  }
  return { ...side, plant }
}

export const readCreate = (reader: Reader, operation: Spot, sides: readonly Side[]): void => {
  const content = reader.at(operation, 'requestBody', 'content')
  const shape = jsonBodyIn(reader, content, 'The body of a create', '4.1')
  if (shape === undefined) return
  if (shape.hasChoices) reader.unsupported(shape.parts[0] ?? content, 'A create has alternative schemas.')
  else if (checkType(reader, shape, 'A create', 'object', '4.1')) readBody(reader, shape, sides)
}

const readBody = (reader: Reader, shape: Shape, sides: readonly Side[]): void => {
  const { set } = reader
  const sent = checkPlant(reader, shape, 'A create', 'readOnly', '4.1')
  // Another form, for example {"plant": {…}}, says nothing about the fields.
  if (sent.length > 0 && !fields.some((name) => sent.includes(name))) return
  const required = [...(shape.required?.names ?? [])].filter((name) => !isMarked(shape.property(name), 'readOnly'))
  const unknown = required.filter((name) => !fields.some((field) => field === name))
  const [condition] = conditionalKeywords.flatMap(shape.all)
  if (condition !== undefined)
    reader.unsupported(condition, `${condition.path.at(-1)}: which fields a create needs stays open.`)
  if (shape.required !== undefined) {
    const { spot } = shape.required
    if (unknown.length > 0) reader.contradicts(spot, `A create needs ${sorted(unknown, ', ')}.`, '4.1')
    const value = fields.filter((name) => required.includes(name)).join('+') || 'none'
    if (condition === undefined) set('create.required', value, spot)
  }
  const closed = ['additionalProperties', 'unevaluatedProperties'].flatMap(shape.all)
  const [strict] = closed.filter(({ value }) => value === false)
  if (strict !== undefined) set('create.unknownFields', 'reject', strict)
  readFields(reader, shape)
  readTag(reader, shape, required.includes('tag') || condition !== undefined, sides)
}

const conditionalKeywords = ['if', 'not', 'dependentRequired', 'dependentSchemas']

const rangesByLargestId: ReadonlyMap<unknown, string> = new Map([
  [2 ** 31 - 1, 'int32'],
  [Number.MAX_SAFE_INTEGER, 'safe-integer'],
])

const unchecked = ['pattern', 'enum', 'const', 'multipleOf']
const uncheckedOfFields = [...unchecked, 'maxLength', 'exclusiveMinimum', 'exclusiveMaximum']

const noteUnchecked = ({ unsupported }: Reader, name: string, spots: readonly Spot[]): void => {
  for (const spot of spots)
    unsupported(spot, `The mock does not check ${spot.path.at(-1)} of ${name}: ${shorten(JSON.stringify(spot.value))}.`)
}

const readFields = (reader: Reader, shape: Shape): void => {
  const { set } = reader
  const [name, tag] = shownFields.map((field) => {
    const lengths = shape.property(field)?.all('minLength') ?? []
    const spot = lengths.find(({ value }) => typeof value === 'number' && value >= 1)
    if (spot !== undefined && spot.value !== 1) reader.unsupported(spot, `The mock accepts a shorter ${field}.`)
    return spot
  })
  const empty = name ?? tag
  if (empty) set('create.emptyStrings', name ? (tag ? 'reject' : 'reject-name') : 'reject-tag', empty)
  for (const field of fields)
    noteUnchecked(
      reader,
      field,
      uncheckedOfFields.flatMap((keyword) => shape.property(field)?.all(keyword) ?? []),
    )
  const [number, format] = [numberIn(shape.property('id')), shape.property('id')?.all('format')[0]]
  const [least, most] = [number('minimum'), number('maximum')]
  const range = rangesByLargestId.get(most?.value)
  if (most !== undefined && range !== undefined) set('create.idRange', range, most)
  else if (most === undefined && format && /^int(?:32|64)$/.test(String(format.value)))
    set('create.idRange', String(format.value), format)
  const isNarrow = Math.abs(Number(least?.value)) < 2 ** 31 - 1
  noteUnchecked(reader, 'id', [...(most && range === undefined ? [most] : []), ...(least && isNarrow ? [least] : [])])
}

const numberIn = (shape: Shape | undefined) => (keyword: string) =>
  shape?.all(keyword).find((spot): spot is Spot & { readonly value: number } => typeof spot.value === 'number')

const readTag = ({ set, unsupported }: Reader, shape: Shape, mayBeRequired: boolean, sides: readonly Side[]): void => {
  const tag = shape.property('tag')
  const isNeverMissing = shape.required?.names.has('tag') === true
  const [nullable] = (tag?.isNullable && tag.parts) || []
  // If responses always have the tag, null may stand for a missing one.
  const isNullStored = sides.some(
    ({ plant }) => plant?.property('tag')?.isNullable && (isNeverMissing || !plant.required?.names.has('tag')),
  )
  if (nullable) set('create.nullTag', isNullStored ? 'null' : 'absent', nullable)
  if (mayBeRequired) return
  const [usual] = tag?.all('default') ?? []
  if (usual === undefined || usual.value === null) readMissingTag(set, sides)
  else if (usual.value === '') set('create.missingTag', 'empty', usual)
  else unsupported(usual, `The mock does not fill in the default tag ${shorten(JSON.stringify(usual.value))}.`)
}

const readMissingTag = (set: Reader['set'], sides: readonly Side[]): void => {
  const found = sides.flatMap(({ plant }) => {
    const tag = plant?.property('tag')
    const [spot] = plant?.all('properties') ?? []
    if (plant?.required === undefined || tag === undefined || spot === undefined) return []
    const isRequired = plant.required.names.has('tag')
    const value = tag.isNullable === isRequired ? (isRequired ? 'null' : 'omit') : undefined
    const words = `${isRequired ? '' : 'not '}required${tag.isNullable ? ', nullable' : ''}`
    return [{ value, spot: childOf(spot, 'tag'), words }]
  })
  const [first] = found
  if (first?.value !== undefined && found.every(({ value }) => value === first.value))
    set('create.missingTag', first.value, first.spot, first.words)
}

/** Keys are places and names, such as `query limit`. A later spot replaces parameters of an earlier one. */
export const parametersOf = ({ at }: Reader, ...spots: readonly Spot[]): ReadonlyMap<string, Spot> =>
  new Map(
    spots
      .flatMap((spot) => entriesOf(at(spot, 'parameters')))
      .map(([, spot]) => [['in', 'name'].map((member) => at(spot, member).value), at(spot)] as const)
      .filter(([parts]) => parts.every((part) => typeof part === 'string'))
      .map(([parts, spot]) => [parts.join(' '), spot]),
  )

export const readLimit = (reader: Reader, item: Spot, operation: Spot): void => {
  const all = parametersOf(reader, item, operation)
  const limit = all.get('query limit')
  if (limit === undefined) reader.contradicts(operation, 'The list has no query parameter limit.', '4.2, 8')
  else readBounds(reader, limit)
  const others = [...all].filter(
    ([key]) => !/^(?:query limit|path .*|header (?:accept|content-type|authorization))$/is.test(key),
  )
  const names = sorted(
    others.map(([key]) => key.slice(key.indexOf(' ') + 1)),
    ', ',
  )
  if (names !== '') reader.unsupported(childOf(operation, 'parameters'), `These parameters have no effect: ${names}.`)
}

const readBounds = (reader: Reader, limit: Spot): void => {
  const { set, unsupported } = reader
  const required = childOf(limit, 'required')
  if (required.value === true) unsupported(required, 'limit is required; the mock lists without it.')
  const shape = reader.shapeOf(childOf(limit, 'schema'))
  checkType(reader, shape, 'limit', 'integer', '4.2')
  const number = numberIn(shape)
  // Before OpenAPI 3.1, the exclusive keyword is a boolean.
  const bound = (keyword: 'Minimum' | 'Maximum', step: number) => {
    const strict = number(`exclusive${keyword}`)
    const spot = strict ?? number(keyword.toLowerCase())
    const isExclusive = strict !== undefined || isMarked(shape, `exclusive${keyword}`)
    return spot && { spot, value: spot.value + (isExclusive ? step : 0) }
  }
  const usual = number('default')
  if (usual !== undefined) set('list.defaultLimit', usual.value, usual)
  const [least, most] = [bound('Minimum', 1), bound('Maximum', -1)]
  if (most !== undefined) set('list.maxLimit', `reject:${most.value}`, most.spot)
  if (least !== undefined && least.value >= 0) set('list.zeroLimit', least.value === 0 ? 'empty' : 'reject', least.spot)
  noteUnchecked(reader, 'limit', unchecked.flatMap(shape.all))
}

/** Leaves `json.contentType` open for `application/json`, which does not exclude parameters such as charset. */
export const readTypes = ({ set, unsupported, ...tree }: Reader, sides: readonly Side[]): void => {
  const contents = sides.flatMap(({ success }) => {
    const content = success && tree.at(success, 'content')
    return content === undefined ? [] : [{ content, ...jsonIn(tree, content) }]
  })
  const [first] = contents
  const types = new Set(contents.flatMap(({ jsonTypes }) => jsonTypes.filter((type) => !type.includes('*'))))
  const [type] = types
  if (first !== undefined && types.size === 1 && type !== undefined && type.toLowerCase() !== 'application/json')
    if (!set('json.contentType', type.toLowerCase(), first.content))
      unsupported(first.content, `The mock does not send ${shorten(type)}.`)
  for (const { content, types: all, jsonTypes } of contents) {
    const others = all.filter((one) => !jsonTypes.includes(one) || (types.size > 1 && one !== 'application/json'))
    if (jsonTypes.length > 0 && others.length > 0)
      unsupported(content, `The mock does not send ${sorted(others, ' or ')}.`)
  }
}

/** OAuth 2 and OpenID Connect use bearer tokens; a key in `Authorization` probably is one. */
const isBearer = ({ at, root }: Reader, name: string): boolean => {
  const scheme = at(root, 'components', 'securitySchemes', name)
  const { type, scheme: kind, name: header } = (scheme.value ?? { type: 'oauth2' }) as Readonly<Record<string, unknown>>
  const isOf = (value: unknown, word: string) => typeof value === 'string' && value.toLowerCase() === word
  if (type === 'http') return isOf(kind, 'bearer')
  return type !== 'apiKey' || isOf(header, 'authorization')
}

/** Notes a requirement of the document once, even if both operations inherit it. */
export const readSecurity = (reader: Reader, sides: readonly Side[]): void => {
  const stated = sides.map(({ operation }) => securityOf(reader, operation))
  for (const { spot, requirements, needsToken } of new Map(stated.map((one) => [one.spot.value, one])).values()) {
    if (!Array.isArray(spot.value)) continue
    const isTaken = requirements.some((names) => names.every((name) => isBearer(reader, name)))
    if (!needsToken) reader.contradicts(spot, 'A request needs no token.', '5')
    else if (!isTaken) {
      const names = requirements.map((all) => all.map((name) => shorten(name)).join(' with '))
      reader.contradicts(spot, `A request needs ${sorted(names, ' or ')}, not a bearer token alone.`, '5')
    }
  }
}

/** `requirements`: the alternatives, each as names of schemes. */
export const securityOf = ({ root }: Reader, operation: Spot) => {
  const own = childOf(operation, 'security')
  const spot = own.value === undefined ? childOf(root, 'security') : own
  const requirements = entriesOf(spot).map(([, one]) => entriesOf(one).map(([name]) => name))
  const needsToken = requirements.length > 0 && requirements.every((names) => names.length > 0)
  return { spot, requirements, needsToken }
}
