import type { AssumptionId } from '../../core/assumptions/registry.ts'
import { shorten } from '../../util/text.ts'
import { type Failure, failuresOf, jsonIn } from './failure-schema.ts'
import type { SourceNote } from './source.ts'
import { childOf, entriesOf, isMarked, keywordIn, type Shape, type Spot, type Tree } from './tree.ts'

export type Reader = Tree & {
  readonly root: Spot
  readonly set: (id: AssumptionId, value: string | number, spot: Spot, words?: string, evidence?: string) => boolean
  readonly note: (
    kind: SourceNote['kind'],
    spot: Spot,
    text: string,
    section?: string,
    statements?: readonly string[],
  ) => void
}

export type Side = {
  readonly name: 'create' | 'list'
  readonly operation: Spot
  readonly responses: Spot
  readonly plant: Shape | undefined
  readonly success: Spot | undefined
  readonly failures: readonly Failure[]
}

const fields = ['name', 'id', 'tag'] as const
const shownFields = ['name', 'tag'] as const

const maxNames = 20
const { compare } = new Intl.Collator('en')

/** Sorts the names, because `plant-mock diff` compares the text, and a document may list names in any order. */
const sorted = (names: Iterable<string>, word: string): string => {
  const all = [...names].sort(compare)
  const shown = all.slice(0, maxNames).map((name) => shorten(name))
  return [...shown, ...(all.length > maxNames ? [`${all.length - maxNames} more`] : [])].join(word)
}

/** @param section Undefined for what the contract allows. */
const noteNames = (
  note: Reader['note'],
  spot: Spot | undefined,
  lead: string,
  names: Names,
  section?: string,
): void => {
  const statements = [...names.keys()].map((key) => `${lead} ${key}.`)
  const kind = section === undefined ? 'unsupported' : 'contradicts'
  if (spot && names.size > 0) note(kind, spot, `${lead} ${sorted(names.values(), ', ')}.`, section, statements)
}

/** Names as the document writes them, by a form that does not depend on how a header is written. */
type Names = ReadonlyMap<string, string>

const namesOf = (names: readonly string[], keyOf: (name: string) => string = String): Names =>
  new Map(names.map((name) => [keyOf(name), name]))

const checkType = (note: Reader['note'], shape: Shape | undefined, what: string, expected: string, section: string) => {
  const { types, parts: [spot] = [] } = shape ?? {}
  const isExpected = types === undefined || types.has(expected)
  if (!isExpected && spot !== undefined)
    note('contradicts', spot, `${what} is ${sorted(types, ' or ')}, not ${expected}.`, section)
  return isExpected
}

const checkFieldType = (note: Reader['note'], shape: Shape | undefined, name: string): void => {
  const expected = name === 'id' ? 'integer' : 'string'
  const types = [...(shape?.types ?? [])].filter((type) => type !== 'null')
  const [spot] = shape?.parts ?? []
  if (spot !== undefined && types.some((type) => type !== expected))
    note('contradicts', spot, `${name} is ${sorted(types, ' or ')}, not ${expected}.`, '2')
}

const checkPlant = (note: Reader['note'], shape: Shape, what: string, mark: string, section: string) => {
  const names = shape.names.filter((name) => !isMarked(shape.property(name), mark))
  const expected = mark === 'readOnly' ? fields : shownFields
  const missing = names.length === 0 ? [] : expected.filter((name) => !names.includes(name))
  const [spot] = [...shape.all('properties'), ...shape.parts]
  const statements = missing.map((name) => `${what} has no ${name}.`)
  if (spot && missing.length > 0)
    note('contradicts', spot, `${what} has no ${missing.join(' and no ')}.`, section, statements)
  for (const name of expected) checkFieldType(note, shape.property(name), name)
  return names
}

const jsonBodyIn = (reader: Reader, content: Spot, what: string, section: string): Shape | undefined => {
  const { types, jsonTypes, shape } = jsonIn(reader, content)
  if (types.length > 0 && jsonTypes.length === 0)
    reader.note('contradicts', content, `${what} is ${sorted(types, ' or ')}, not JSON.`, section)
  return shape
}

export const readSide = (reader: Reader, name: Side['name'], operation: Spot): Side => {
  const { at, set, note, shapeOf } = reader
  const responses = at(operation, 'responses')
  const listed = entriesOf(responses).filter(([key]) => /^2(?:\d\d|XX)$/i.test(key))
  const statuses = listed.map(([key]) => key)
  const [status = ''] = statuses
  if (statuses.length > 1)
    note('unsupported', responses, `${statuses.join(' and ')} are listed, but not which of them a ${name} returns.`)
  else if (/^\d+$/.test(status) && !set(`${name}.status`, status, responses, `only ${status} is listed`))
    note('unsupported', responses, `The status of a ${name} is ${status}, which the mock does not return.`)
  const bodies = listed.map(([, spot]) => spot).filter((spot) => entriesOf(at(spot, 'content')).length > 0)
  const [success] = bodies
  const side = { name, operation, responses, success, failures: failuresOf(reader, responses) }
  if (success === undefined) return { ...side, plant: undefined }
  const headers = entriesOf(at(success, 'headers'))
    .map(([header]) => header)
    .filter((header) => !/^(?:content-type|content-length|date|connection)$/i.test(header))
  const names = namesOf(headers, (header) => header.toLowerCase())
  noteNames(note, childOf(success, 'headers'), 'The mock sends no header', names)
  const body = jsonBodyIn(reader, at(success, 'content'), 'The response', '1')
  const isList = name === 'list' && checkType(note, body, 'The list', 'array', '4.2')
  const shown = isList && body?.types ? shapeOf(...body.all('items')) : undefined
  const plant = name === 'create' ? body : shown
  if (bodies.length > 1) return { ...side, plant: undefined }
  const section = name === 'create' ? '2.1, 4.1' : '2.2, 4.2'
  if (plant?.choices.length === 0 && checkType(note, plant, 'A plant', 'object', section)) {
    const what = name === 'create' ? 'The response of a create' : 'An element of the list'
    const more = checkPlant(note, plant, what, 'writeOnly', section).filter((one) => one !== 'name' && one !== 'tag')
    noteNames(note, plant.all('properties')[0], `${what} has`, namesOf(more), section)
  }
  return { ...side, plant }
}

export const readCreate = (reader: Reader, operation: Spot, sides: readonly Side[]): void => {
  const { note } = reader
  const content = reader.at(operation, 'requestBody', 'content')
  const shape = jsonBodyIn(reader, content, 'The body of a create', '4.1')
  if (shape === undefined) return
  if (shape.choices.length > 0) note('unsupported', shape.parts[0] ?? content, 'A create has alternative schemas.')
  else if (checkType(note, shape, 'A create', 'object', '4.1')) readBody(reader, shape, sides)
}

const readBody = (reader: Reader, shape: Shape, sides: readonly Side[]): void => {
  const { set, note } = reader
  const sent = checkPlant(note, shape, 'A create', 'readOnly', '4.1')
  // Stops at a wrapper such as `{"plant": {…}}`, which does not show which fields of a plant are required.
  if (sent.length > 0 && !fields.some((name) => sent.includes(name))) return
  const required = [...(shape.required?.names ?? [])].filter((name) => !isMarked(shape.property(name), 'readOnly'))
  const unknown = required.filter((name) => !fields.some((field) => field === name))
  const [condition] = conditionalKeywords.flatMap(shape.all)
  if (condition !== undefined)
    note('unsupported', condition, `${condition.path.at(-1)}: the required fields of a create stay open.`)
  if (shape.required !== undefined) {
    noteNames(note, shape.required.spot, 'A create needs further fields:', namesOf(unknown), '4.1')
    const value = fields.filter((name) => required.includes(name)).join('+') || 'none'
    if (condition === undefined) set('create.required', value, shape.required.spot)
  }
  readStrictness(reader, shape, sent)
  readFields(reader, shape)
  readTag(reader, shape, required.includes('tag') || condition !== undefined, sides)
}

const conditionalKeywords = ['if', 'not', 'dependentRequired', 'dependentSchemas']

/** Ignores `additionalProperties: false` in a part of `allOf` that would forbid the fields of the other parts. */
const readStrictness = ({ set }: Reader, { parts, all }: Shape, names: readonly string[]): void => {
  const whole = parts.filter((part) => {
    const own = childOf(part, 'properties')
    return names.every((name) => childOf(own, name).value !== undefined)
  })
  const keywords = [...whole.map((part) => childOf(part, 'additionalProperties')), ...all('unevaluatedProperties')]
  const closed = keywords.find(({ value }) => value === false)
  if (closed !== undefined) set('create.unknownFields', 'reject', closed)
}

const rangesByLargestId: ReadonlyMap<unknown, string> = new Map([
  [2 ** 31 - 1, 'int32'],
  [Number.MAX_SAFE_INTEGER, 'safe-integer'],
])

const noteUnchecked = (note: Reader['note'], name: string, spots: readonly (Spot | undefined)[]): void => {
  for (const spot of spots.filter((one) => one !== undefined)) {
    const value = shorten(JSON.stringify(spot.value))
    note('unsupported', spot, `The mock does not check ${spot.path.at(-1)} of ${name}: ${value}.`)
  }
}
const unchecked = ['pattern', 'enum', 'const', 'multipleOf']
const uncheckedOfFields = [...unchecked, 'maxLength', 'exclusiveMinimum', 'exclusiveMaximum']

const readFields = ({ set, note }: Reader, shape: Shape): void => {
  const [name, tag] = shownFields.map((field) => {
    const lengths = shape.property(field)?.all('minLength') ?? []
    const spot = lengths.find(({ value }) => typeof value === 'number' && value >= 1)
    if (spot !== undefined && spot.value !== 1) note('unsupported', spot, `The mock accepts a shorter ${field}.`)
    return spot
  })
  const empty = name ?? tag
  if (empty) set('create.emptyStrings', name ? (tag ? 'reject' : 'reject-name') : 'reject-tag', empty)
  for (const field of fields)
    noteUnchecked(
      note,
      field,
      uncheckedOfFields.flatMap((keyword) => shape.property(field)?.all(keyword) ?? []),
    )
  const id = shape.property('id')
  const number = (keyword: string) => id?.all(keyword).find(({ value }) => typeof value === 'number')
  const [least, most, [format] = []] = [number('minimum'), number('maximum'), id?.all('format')]
  const range = rangesByLargestId.get(most?.value)
  if (most !== undefined && range !== undefined) set('create.idRange', range, most)
  else if (most === undefined && format && /^int(?:32|64)$/.test(String(format.value)))
    set('create.idRange', String(format.value), format)
  const isNarrow = Math.abs(Number(least?.value)) < 2 ** 31 - 1
  noteUnchecked(note, 'id', [range === undefined ? most : undefined, isNarrow ? least : undefined])
}

const readTag = ({ set, note }: Reader, shape: Shape, mayBeRequired: boolean, sides: readonly Side[]): void => {
  const tag = shape.property('tag')
  const isNeverMissing = shape.required?.names.has('tag') === true
  const [nullable] = (tag?.isNullable && tag.parts) || []
  // If responses may have `tag: null`, the service stores null. It may not, if null can also stand for a missing tag.
  const isNullStored = sides.some(
    ({ plant }) => plant?.property('tag')?.isNullable && (isNeverMissing || !plant.required?.names.has('tag')),
  )
  if (nullable) set('create.nullTag', isNullStored ? 'null' : 'absent', nullable)
  if (mayBeRequired) return
  const [usual] = tag?.all('default') ?? []
  if (usual === undefined || usual.value === null) readMissingTag({ set, note }, sides)
  else if (usual.value === '') set('create.missingTag', 'empty', usual)
  else note('unsupported', usual, `The mock does not fill in the default tag ${shorten(JSON.stringify(usual.value))}.`)
}

const readMissingTag = ({ set, note }: Pick<Reader, 'set' | 'note'>, sides: readonly Side[]): void => {
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
  if (found.some(({ value }) => value !== first.value))
    note('unsupported', first.spot, 'The responses of create and list differ in how they show a plant without a tag.')
  else if (first.value !== '') set('create.missingTag', first.value, first.spot, first.words)
}

export const parametersOf = ({ at }: Reader, ...spots: readonly Spot[]): ReadonlyMap<string, Spot> =>
  new Map(
    spots
      .flatMap((spot) => entriesOf(at(spot, 'parameters')))
      .map(([, spot]) => [['in', 'name'].map((member) => at(spot, member).value), at(spot)] as const)
      .filter(([parts]) => parts.every((part) => typeof part === 'string'))
      .map(([[place, name], spot]) => [`${place} ${place === 'header' ? String(name).toLowerCase() : name}`, spot]),
  )

const sentByClients = /^(?:query limit|path .*|header (?:accept|content-type|authorization))$/s

export const readParameters = (reader: Reader, item: Spot, side: Side): void => {
  const [{ note, at }, { name, operation }] = [reader, side]
  const all = parametersOf(reader, item, operation)
  if (name === 'list') readLimit(reader, item, side, all.get('query limit'))
  const others = [...all].filter(([key]) => !sentByClients.test(key))
  const needed = others.filter(([, spot]) => childOf(spot, 'required').value === true)
  const ignored = others.filter((one) => name === 'list' && !needed.includes(one))
  const named = (some: typeof others): Names =>
    new Map(some.map(([key, spot]) => [key, String(at(spot, 'name').value)]))
  const [[, first] = []] = needed
  noteNames(note, first, `A ${name} needs further parameters:`, named(needed), name === 'create' ? '4.1' : '4.2')
  noteNames(note, childOf(operation, 'parameters'), 'The mock ignores these parameters:', named(ignored))
}

const readLimit = (reader: Reader, item: Spot, { operation, success }: Side, limit: Spot | undefined): void => {
  const { note, set, at } = reader
  const spots = [item, operation].flatMap((spot) => [spot, ...entriesOf(at(spot, 'parameters')).map(([, one]) => one)])
  if (limit === undefined && spots.every((spot) => at(spot).value !== undefined))
    note('contradicts', operation, 'The list has no query parameter limit.', '4.2, 8')
  const longest = limit && readBounds(reader, limit)
  const items = success && jsonIn(reader, at(success, 'content')).shape?.all('maxItems').find(isWhole)
  const most = Number(items?.value)
  if (items && !(longest === undefined ? set('list.maxLimit', `clamp:${most}`, items) : longest <= most))
    note('unsupported', items, `The mock may list more plants than maxItems: ${most}.`)
}

const isWhole = ({ value }: Spot) => Number.isSafeInteger(value)

/** Returns the length of the longest list, or `undefined` if the document states no maximum. */
const readBounds = ({ set, note, shapeOf }: Reader, limit: Spot): number | undefined => {
  if (childOf(limit, 'required').value === true)
    note('unsupported', childOf(limit, 'required'), 'limit is required; the mock also lists without limit.')
  const shape = shapeOf(childOf(limit, 'schema'))
  checkType(note, shape, 'limit', 'integer', '4.2')
  // Before OpenAPI 3.1, `exclusiveMinimum` is a boolean beside `minimum`.
  const bound = (keyword: 'Minimum' | 'Maximum', step: 1 | -1) => {
    const [inward, outward] = step === 1 ? [Math.ceil, Math.floor] : [Math.floor, Math.ceil]
    const bounds = shape.parts.flatMap((part) => {
      const isExclusive = childOf(part, `exclusive${keyword}`).value === true
      const read = (name: string, whole: (value: number) => number) =>
        keywordIn([part], name).flatMap((spot) =>
          Number.isFinite(spot.value) ? [{ spot, value: whole(Number(spot.value)) }] : [],
        )
      const inside = (value: number) => outward(value) + step
      return [...read(keyword.toLowerCase(), isExclusive ? inside : inward), ...read(`exclusive${keyword}`, inside)]
    })
    return bounds.sort((a, b) => step * (b.value - a.value))[0]
  }
  const usual = shape.all('default').find(isWhole)
  if (usual && !set('list.defaultLimit', Number(usual.value), usual))
    note('unsupported', usual, `The mock cannot list ${usual.value} plants by default.`)
  const [least, most] = [bound('Minimum', 1), bound('Maximum', -1)]
  const isLimited = most !== undefined && set('list.maxLimit', `reject:${most.value}`, most.spot)
  if (most && !isLimited) note('unsupported', most.spot, `The mock cannot refuse limits above ${most.value}.`)
  if (least !== undefined && least.value >= 0) set('list.zeroLimit', least.value === 0 ? 'empty' : 'reject', least.spot)
  if (least !== undefined && least.value > 1)
    note('unsupported', least.spot, `The mock accepts any limit from 1; the document requires at least ${least.value}.`)
  noteUnchecked(note, 'limit', unchecked.flatMap(shape.all))
  return isLimited ? Math.max(most.value, Number(usual?.value || Infinity)) : undefined
}

/** Sets no `json.contentType` for `application/json`, because the service may still add a charset. */
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

/** OAuth 2 and OpenID Connect use bearer tokens. A key in `Authorization` is probably a bearer token too. */
const isBearer = ({ at, root }: Reader, name: string): boolean => {
  const scheme = at(root, 'components', 'securitySchemes', name)
  const { type, scheme: kind, name: header } = (scheme.value ?? { type: 'oauth2' }) as Readonly<Record<string, unknown>>
  const isOf = (value: unknown, word: string) => typeof value === 'string' && value.toLowerCase() === word
  if (type === 'http') return isOf(kind, 'bearer')
  return type !== 'apiKey' || isOf(header, 'authorization')
}

export const readSecurity = (reader: Reader, sides: readonly Side[]): void => {
  const stated = sides.map(({ operation }) => securityOf(reader, operation))
  for (const { spot, requirements, needsToken } of new Map(stated.map((one) => [one.spot.value, one])).values()) {
    if (!Array.isArray(spot.value)) continue
    const isTaken = requirements.some((names) => names.every((name) => isBearer(reader, name)))
    if (!needsToken) reader.note('contradicts', spot, 'A request needs no token.', '5')
    else if (!isTaken) {
      const names = requirements.map((all) => all.map((name) => shorten(name)).join(' with '))
      reader.note('contradicts', spot, `A request needs ${sorted(names, ' or ')}, not a bearer token alone.`, '5')
    }
  }
}

export const securityOf = ({ root }: Reader, operation: Spot) => {
  const own = childOf(operation, 'security')
  const spot = own.value === undefined ? childOf(root, 'security') : own
  const requirements = entriesOf(spot).map(([, one]) => entriesOf(one).map(([name]) => name))
  const needsToken = requirements.length > 0 && requirements.every((names) => names.length > 0)
  return { spot, requirements, needsToken }
}
