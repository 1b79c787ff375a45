import { shorten } from '../../util/text.ts'
import { failuresOf, jsonIn } from './failure-schema.ts'
import type { Reader, Side } from './reader.ts'
import { childOf, entriesOf, type Shape, type Spot } from './tree.ts'

const fields = ['name', 'id', 'tag'] as const

const maxNames = 20
const { compare } = new Intl.Collator('en')

/** Names in alphabetical order, because `diff` compares texts, and the order in a document means nothing. */
const sorted = (names: Iterable<string>, word: string): string => {
  const all = [...names].sort(compare)
  const shown = all.slice(0, maxNames).map((name) => shorten(name))
  return [...shown, ...(all.length > maxNames ? [`${all.length - maxNames} more`] : [])].join(word)
}

export const sideOf = (reader: Reader, name: Side['name'], operation: Spot): Side => {
  const { at, shapeOf } = reader
  const responses = at(operation, 'responses')
  const listed = entriesOf(responses).filter(([key]) => /^2(?:\d\d|XX)$/i.test(key))
  const bodies = listed.map(([, spot]) => spot).filter((spot) => entriesOf(at(spot, 'content')).length > 0)
  const [success] = bodies
  const shape = success && bodies.length === 1 ? jsonIn(reader, at(success, 'content')).shape : undefined
  const items = shape?.types?.has('array') ? shapeOf(...shape.all('items')) : undefined
  const plant = name === 'create' ? shape : items
  return { name, operation, responses, success, plant, failures: failuresOf(reader, responses) }
}

export const readSuccess = ({ at, set, note, ...tree }: Reader, { name, responses, success, plant }: Side): void => {
  const listed = entriesOf(responses)
    .map(([key]) => key)
    .filter((key) => /^2(?:\d\d|XX)$/i.test(key))
  const [status = '', other] = listed
  if (other !== undefined)
    note('unsupported', responses, `${listed.join(' and ')} are listed: which of them a ${name} returns stays open.`)
  else if (/^\d+$/.test(status) && !set(`${name}.status`, status, responses, `only ${status} is listed`))
    note('unsupported', responses, `The status of a ${name} is ${status}, which the mock does not return.`)
  if (success === undefined) return
  const headers = entriesOf(at(success, 'headers')).map(([header]) => shorten(header))
  if (headers.length > 0)
    note('unsupported', childOf(success, 'headers'), `The mock sends no ${sorted(headers, ', ')}.`)
  const { types, jsonTypes, shape } = jsonIn({ at, ...tree }, at(success, 'content'))
  if (types.length > 0 && jsonTypes.length === 0)
    note('contradicts', success, `The response is ${sorted(types, ' or ')}, not JSON.`, '1')
  const section = name === 'create' ? '2.1, 4.1' : '2.2, 4.2'
  const isList = shape?.types?.has('array')
  if (name === 'list' && shape?.types !== undefined && !isList)
    note('contradicts', success, `The list is ${sorted(shape.types, ' or ')}, not array.`, '4.2')
  if (plant === undefined || plant.choices.length > 0) return
  if (plant.types && !plant.types.has('object')) {
    note('contradicts', success, `A plant is ${sorted(plant.types, ' or ')}, not object.`, section)
    return
  }
  const names = plant.names.filter((one) => !isMarked(plant.property(one), 'writeOnly'))
  const more = names.filter((one) => one !== 'name' && one !== 'tag')
  const less = names.length === 0 ? [] : ['name', 'tag'].filter((one) => !names.includes(one))
  const place = plant.all('properties')[0] ?? success
  const where = name === 'create' ? 'The response of a create' : 'An element of the list'
  if (more.length > 0) note('contradicts', place, `${where} has ${sorted(more, ', ')}.`, section)
  if (less.length > 0) note('contradicts', place, `${where} has no ${less.join(' and no ')}.`, section)
  checkTypes(note, plant, ['name', 'tag'])
}

const isMarked = (shape: Shape | undefined, mark: string): boolean =>
  shape?.all(mark).some(({ value }) => value === true) ?? false

const checkTypes = (note: Reader['note'], plant: Shape, names: readonly (typeof fields)[number][]): void => {
  for (const name of names) {
    const property = plant.property(name)
    const expected = name === 'id' ? 'integer' : 'string'
    const types = [...(property?.types ?? [])].filter((type) => type !== 'null')
    const [spot] = property?.parts ?? []
    if (spot !== undefined && types.some((type) => type !== expected))
      note('contradicts', spot, `${name} is ${sorted(types, ' or ')}, not ${expected}.`, '2')
  }
}

export const readCreate = (reader: Reader, operation: Spot, sides: readonly Side[]): void => {
  const { at, note } = reader
  const content = at(operation, 'requestBody', 'content')
  const { types, jsonTypes, shape } = jsonIn(reader, content)
  if (types.length > 0 && jsonTypes.length === 0)
    note('contradicts', content, `The body of a create is ${sorted(types, ' or ')}, not JSON.`, '4.1')
  if (shape === undefined) return
  const [body = content] = shape.parts
  if (shape.choices.length > 0) note('unsupported', body, 'A create has alternative schemas.')
  else if (shape.types && !shape.types.has('object')) note('contradicts', body, 'A create is no object.', '4.1')
  else readBody(reader, shape, body, sides)
}

const readBody = (reader: Reader, shape: Shape, body: Spot, sides: readonly Side[]): void => {
  const { set, note } = reader
  const sent = shape.names.filter((name) => !isMarked(shape.property(name), 'readOnly'))
  const less = sent.length === 0 ? [] : fields.filter((name) => !sent.includes(name))
  if (less.length > 0) note('contradicts', body, `A create has no ${less.join(' and no ')}.`, '4.1')
  // Another form, for example {"plant": {…}}, says nothing about the fields.
  if (less.length === fields.length) return
  checkTypes(note, shape, fields)
  const required = [...(shape.required?.names ?? [])].filter((name) => !isMarked(shape.property(name), 'readOnly'))
  const unknown = required.filter((name) => !fields.some((field) => field === name))
  const [condition] = conditions.flatMap(shape.all)
  if (condition !== undefined)
    note('unsupported', condition, `${condition.path.at(-1)}: which fields a create needs stays open.`)
  if (shape.required !== undefined) {
    if (unknown.length > 0) note('contradicts', shape.required.spot, `A create needs ${sorted(unknown, ', ')}.`, '4.1')
    const value = fields.filter((name) => required.includes(name)).join('+') || 'none'
    if (condition === undefined) set('create.required', value, shape.required.spot)
  }
  readStrictness(reader, shape, sent)
  readFields(reader, shape)
  const tag = shape.property('tag')
  const [usual] = tag?.all('default') ?? []
  const [nullable] = (tag?.isNullable && tag.parts) || []
  if (nullable) set('create.nullTag', isNullStored(required.includes('tag'), sides) ? 'null' : 'absent', nullable)
  if (required.includes('tag') || condition !== undefined) return
  if (usual === undefined || usual.value === null) readMissingTag(reader, sides)
  else if (usual.value === '') set('create.missingTag', 'empty', usual)
  else note('unsupported', usual, `The mock does not fill in the default tag ${shorten(JSON.stringify(usual.value))}.`)
}

/** Keywords that may require a field under a condition. */
const conditions = ['if', 'not', 'dependentRequired', 'dependentSchemas']

/** Ignores `additionalProperties: false` in a part of an `allOf` that lacks fields of other parts: hardly intended. */
const readStrictness = ({ set }: Reader, { parts }: Shape, names: readonly string[]): void => {
  for (const part of parts) {
    const own = new Set(entriesOf(childOf(part, 'properties')).map(([name]) => name))
    const knowsAll = names.every((name) => own.has(name))
    const closing = childOf(part, 'unevaluatedProperties')
    const closed = [childOf(part, 'additionalProperties'), ...(part === parts[0] ? [closing] : [])]
    const spot = closed.find(({ value }) => value === false)
    if (spot !== undefined && (knowsAll || spot === closing)) set('create.unknownFields', 'reject', spot)
  }
}

/** Values of `create.idRange` by their largest id. */
const ranges: ReadonlyMap<unknown, string> = new Map([
  [2 ** 31 - 1, 'int32'],
  [Number.MAX_SAFE_INTEGER, 'safe-integer'],
])

/** Restrictions of a field that the mock does not check. */
const unsupported = ['maxLength', 'pattern', 'enum', 'const', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum']

const notChecked = (spot: Spot, field: string): string =>
  `The mock does not check ${spot.path.at(-1)} of ${field}: ${shorten(JSON.stringify(spot.value))}.`

const readFields = ({ set, note }: Reader, shape: Shape): void => {
  const [name, tag] = ['name', 'tag'].map((field) => {
    const lengths = shape.property(field)?.all('minLength') ?? []
    const spot = lengths.find(({ value }) => typeof value === 'number' && value >= 1)
    if (spot !== undefined && spot.value !== 1) note('unsupported', spot, `The mock accepts a shorter ${field}.`)
    return spot
  })
  if (name !== undefined) set('create.emptyStrings', tag ? 'reject' : 'reject-name', name)
  else if (tag !== undefined) set('create.emptyStrings', 'reject-tag', tag)
  for (const name of fields) {
    const found = unsupported.flatMap((keyword) => shape.property(name)?.all(keyword) ?? [])
    for (const spot of found) note('unsupported', spot, notChecked(spot, name))
  }
  const id = shape.property('id')
  const [format] = id?.all('format') ?? []
  const [least, most] = ['minimum', 'maximum'].map((keyword) =>
    id?.all(keyword).find(({ value }) => typeof value === 'number'),
  )
  const range = ranges.get(most?.value)
  if (most !== undefined && range !== undefined) set('create.idRange', range, most)
  else if (most !== undefined) note('unsupported', most, notChecked(most, 'id'))
  else if (format?.value === 'int64' || format?.value === 'int32') set('create.idRange', format.value, format)
  if (least !== undefined && Math.abs(Number(least.value)) < 2 ** 31 - 1)
    note('unsupported', least, notChecked(least, 'id'))
}

/** Whether responses show `null`, and not because the tag is missing. */
const isNullStored = (isNeverMissing: boolean, sides: readonly Side[]): boolean =>
  sides.some(({ plant }) => plant?.property('tag')?.isNullable && (isNeverMissing || !plant.required?.names.has('tag')))

const readMissingTag = ({ set, note }: Reader, sides: readonly Side[]): void => {
  const found = sides.flatMap(({ plant }) => {
    const tag = plant?.property('tag')
    const [spot] = plant?.all('properties') ?? []
    if (plant?.required === undefined || tag === undefined || spot === undefined) return []
    const isRequired = plant.required.names.has('tag')
    const isEmpty = tag.all('default').some(({ value }) => value === '')
    const value = tag.isNullable ? (isRequired ? 'null' : '') : isRequired ? (isEmpty ? 'empty' : '') : 'omit'
    const words = `${isRequired ? '' : 'not '}required${tag.isNullable ? ', nullable' : ''}`
    return [{ value, spot: childOf(spot, 'tag'), words }]
  })
  const [first] = found
  if (first === undefined) return
  if (found.every(({ value }) => value === first.value && value !== ''))
    set('create.missingTag', first.value, first.spot, first.words)
  else if (found.some(({ value }) => value !== first.value))
    note('unsupported', first.spot, 'The responses of create and list differ in how they show a plant without a tag.')
}

export const parametersOf = ({ at }: Reader, ...spots: readonly Spot[]): ReadonlyMap<string, Spot> =>
  new Map(
    spots
      .flatMap((spot) => entriesOf(at(spot, 'parameters')))
      .map(([, spot]) => [['in', 'name'].map((member) => at(spot, member).value), at(spot)] as const)
      .filter(([parts]) => parts.every((part) => typeof part === 'string'))
      .map(([parts, spot]) => [parts.join(' '), spot]),
  )

/** Reads the parameter `limit` of a list, and reports parameters that the mock ignores. */
export const readLimit = (reader: Reader, item: Spot, operation: Spot): void => {
  const { note } = reader
  const all = parametersOf(reader, item, operation)
  const limit = all.get('query limit')
  if (limit === undefined) note('contradicts', operation, 'The list has no query parameter limit.', '4.2, 8')
  else readBounds(reader, limit)
  const others = [...all].filter(
    ([key]) => !/^(?:query limit|path .*|header (?:accept|content-type|authorization))$/is.test(key),
  )
  if (others.length > 0)
    note(
      'unsupported',
      childOf(operation, 'parameters'),
      `These parameters have no effect: ${sorted(others.map(parameterText), ', ')}.`,
    )
}

const parameterText = ([key, spot]: readonly [string, Spot]): string =>
  `${shorten(key.slice(key.indexOf(' ') + 1))}${childOf(spot, 'required').value === true ? ' (required)' : ''}`

const readBounds = ({ set, note, shapeOf }: Reader, limit: Spot): void => {
  if (childOf(limit, 'required').value === true)
    note('unsupported', childOf(limit, 'required'), 'limit is required; the mock lists without it.')
  const shape = shapeOf(childOf(limit, 'schema'))
  const types = [...(shape.types ?? [])].filter((type) => type !== 'null')
  if (types.some((type) => type !== 'integer'))
    note('contradicts', limit, `limit is ${sorted(types, ' or ')}, not integer.`, '4.2')
  const number = (keyword: string) => shape.all(keyword).find(({ value }) => Number.isSafeInteger(value))
  const isExclusive = (keyword: string) => shape.all(keyword).some(({ value }) => value === true)
  /** The smallest or largest valid value. Before OpenAPI 3.1, the exclusive keyword is a boolean. */
  const bound = (
    keyword: 'minimum' | 'maximum',
    step: number,
  ): { readonly spot: Spot; readonly value: number } | undefined => {
    const exclusive = `exclusive${keyword === 'minimum' ? 'Minimum' : 'Maximum'}`
    const [inclusive, strict] = [number(keyword), number(exclusive)]
    if (strict !== undefined) return { spot: strict, value: (strict.value as number) + step }
    return inclusive && { spot: inclusive, value: (inclusive.value as number) + (isExclusive(exclusive) ? step : 0) }
  }
  const usual = number('default')
  if (usual && !set('list.defaultLimit', usual.value as number, usual))
    note('unsupported', usual, `The mock cannot list ${usual.value} plants by default.`)
  const [least, most] = [bound('minimum', 1), bound('maximum', -1)]
  if (most !== undefined) set('list.maxLimit', `reject:${most.value}`, most.spot)
  if (least !== undefined && least.value >= 0) set('list.zeroLimit', least.value === 0 ? 'empty' : 'reject', least.spot)
  if (least !== undefined && least.value > 1)
    note('unsupported', least.spot, `The mock accepts a limit below ${least.value}, from 1 on.`)
  for (const spot of ['enum', 'const', 'multipleOf', 'pattern'].flatMap((keyword) => shape.all(keyword)))
    note('unsupported', spot, notChecked(spot, 'limit'))
}

/** Leaves `json.contentType` open for `application/json`, which does not exclude parameters such as charset. */
export const readTypes = ({ set, note, ...reader }: Reader, sides: readonly Side[]): void => {
  const contents = sides.flatMap(({ success }) => {
    const content = success && reader.at(success, 'content')
    return content === undefined ? [] : [{ content, ...jsonIn(reader, content) }]
  })
  const [first] = contents
  const types = new Set(contents.flatMap(({ jsonTypes }) => jsonTypes.filter((type) => !type.includes('*'))))
  const [type] = types
  if (first !== undefined && types.size === 1 && type !== undefined && type.toLowerCase() !== 'application/json')
    if (!set('json.contentType', type.toLowerCase(), first.content))
      note('unsupported', first.content, `The mock does not send ${shorten(type)}.`)
  for (const { content, types: all, jsonTypes } of contents) {
    const others = all.filter((one) => !jsonTypes.includes(one) || (types.size > 1 && one !== 'application/json'))
    if (jsonTypes.length > 0 && others.length > 0)
      note('unsupported', content, `The mock does not send ${sorted(others, ' or ')}.`)
  }
}

/** Whether a scheme takes a bearer token. OAuth 2 and OpenID Connect do; a key in `Authorization` probably does. */
const isBearer = ({ at, root }: Reader, name: string): boolean => {
  const scheme = at(root, 'components', 'securitySchemes', name)
  const { type, scheme: kind, name: header } = (scheme.value ?? { type: 'oauth2' }) as Readonly<Record<string, unknown>>
  const isOf = (value: unknown, word: string) => typeof value === 'string' && value.toLowerCase() === word
  if (type === 'http') return isOf(kind, 'bearer')
  return type !== 'apiKey' || isOf(header, 'authorization')
}

export const readSecurity = (reader: Reader, sides: readonly Side[]): void => {
  const places = new Map<unknown, Spot>()
  for (const { operation } of sides) {
    const spot = securityOf(reader, operation)
    places.set(spot.value, spot)
  }
  for (const spot of places.values()) {
    if (!Array.isArray(spot.value)) continue
    const requirements = entriesOf(spot).map(([, one]) => entriesOf(one).map(([name]) => name))
    const isOpen = requirements.length === 0 || requirements.some((names) => names.length === 0)
    const isTaken = requirements.some((names) => names.length > 0 && names.every((name) => isBearer(reader, name)))
    if (isOpen) reader.note('contradicts', spot, 'A request needs no token.', '5')
    else if (!isTaken) {
      const names = requirements.map((all) => all.map((name) => shorten(name)).join(' with '))
      reader.note('contradicts', spot, `A request needs ${sorted(names, ' or ')}, not a bearer token alone.`, '5')
    }
  }
}

export const needsToken = (reader: Reader, operation: Spot): boolean => {
  const requirements = entriesOf(securityOf(reader, operation))
  return requirements.length > 0 && requirements.every(([, one]) => entriesOf(one).length > 0)
}

const securityOf = ({ root }: Reader, operation: Spot): Spot => {
  const own = childOf(operation, 'security')
  return own.value === undefined ? childOf(root, 'security') : own
}
