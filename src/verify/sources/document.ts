import type { Entry } from '../../core/assumptions/file.ts'
import { type AssumptionId, findAssumption, parseValue } from '../../core/assumptions/registry.ts'
import type { Operation } from '../../core/operations/operation.ts'
import { operations } from '../../core/operations/operations.ts'
import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject } from '../../util/json.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import { readFailures } from './failures.ts'
import { parametersOf, readCreate, readLimit, readSecurity, readSuccess, readTypes, sideOf } from './operations.ts'
import type { Reader, Side } from './reader.ts'
import type { SourceNote, SourceReading } from './source.ts'
import { childOf, entriesOf, type OpenFile, type Spot, type Tree, treeOf } from './tree.ts'

const { createPlant, listPlants } = operations
const [createKey, listKey] = [createPlant, listPlants].map(({ method }) => method.toLowerCase()) as [string, string]

const withoutSlash = (path: string): string => path.replace(/\/$/, '')

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/**
 * Reads the two operations of an OpenAPI document. A listed failure shows its status and form, but not which requests
 * are refused.
 * @param open Opens other files. Default: refers to none.
 * @throws PlantMockError for a version other than 3.0 to 3.2, and if no path ends in the path of the operations.
 */
export const readDocument = (content: unknown, file: string, open: OpenFile = openNone): SourceReading => {
  const root: Spot = { value: content, path: [], file: '' }
  const { value } = childOf(root, 'openapi')
  const version = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  if (!/^3\.[012]\b/.test(version))
    throw new PlantMockError(
      `${file} has the version "${shorten(version)}" of OpenAPI. Versions 3.0, 3.1 and 3.2 can be read.`,
    )
  const entries = new Map<AssumptionId, Entry>()
  const notes: SourceNote[] = []
  const placeOf = (spot: Spot, words?: string) =>
    `${[file, spot.file].filter(Boolean).join(': ')}: ${spot.path.map((name) => shorten(name)).join('.')}${words === undefined ? '' : ` (${words})`}`
  const tree = treeOf(root, !version.startsWith('3.0'), open)
  const reader: Reader = {
    ...tree,
    root,
    set(id, value, spot, words, evidence) {
      const found = findAssumption(id) && parseValue(id, String(value))
      if (found !== undefined)
        entries.set(id, { value: found, place: placeOf(spot, words), ...(evidence !== undefined && { evidence }) })
      return found !== undefined
    },
    note: (kind, spot, text, section) =>
      notes.push({ kind, place: placeOf(spot), text, ...(section !== undefined && { section }) }),
  }
  const basePath = readPaths(reader, file, tree.lost)
  for (const [reference, { spot, reason }] of [...tree.lost].slice(0, maxOthers))
    reader.note('unsupported', spot, `The reference ${shorten(reference)} ${reason}.`)
  if (tree.lost.size > maxOthers)
    reader.note('unsupported', root, `${plural(tree.lost.size - maxOthers, 'more reference')} cannot be followed.`)
  return { file, kind: 'document', entries, notes, ...(basePath && { basePath }) }
}

const openNone: OpenFile = () => ({ reason: 'leads out of the document, which is not read from a folder' })

const readPaths = (reader: Reader, file: string, lostReferences: Tree['lost']): string | undefined => {
  const { note, root } = reader
  const paths = childOf(root, 'paths')
  const items = entriesOf(paths).map(([path, spot]) => [path, spot, operationsIn(reader, spot)] as const)
  const named = items.filter(
    ([path, , operations]) =>
      withoutSlash(path).toLowerCase().endsWith(listPlants.path) &&
      [createKey, listKey].some((key) => operations.has(key)),
  )
  const baseOf = (item: Item) => withoutSlash(filledPath(reader, item)).slice(0, -listPlants.path.length)
  const candidates = named.filter(
    (item) => !baseOf(item).includes('{') && withoutSlash(item[0]).endsWith(listPlants.path),
  )
  const found = candidates.length > 1 ? candidates.filter(([path]) => path === listPlants.path) : candidates
  const [chosen] = found
  const taken = new Set<Item>(chosen === undefined ? candidates : [chosen])
  if (candidates.length === 0) throw new PlantMockError(`${file} ${whyNoPath(named, lostReferences)}`)
  const open = chosen === undefined ? [] : openOperationsIn(items, chosen[0])
  for (const [operation, spot] of open) readOpen(reader, operation, spot)
  const read = new Set(open.map(([, spot]) => spot))
  noteOthers(
    reader,
    items
      .filter((item) => !taken.has(item))
      .map(([path, item, found]) => [path, item, new Map([...found].filter(([, spot]) => !read.has(spot)))] as const)
      .filter(([, item, found]) => found.size > 0 || operationsIn(reader, item).size === 0),
  )
  if (chosen === undefined) {
    const names = shorten(candidates.map(([path]) => path).join(' and '), 200)
    note('unsupported', paths, `${names} may each be the service, so none was read. Leave one of them.`)
    return undefined
  }
  const [path, item, operations] = chosen
  if (path.endsWith('/')) note('contradicts', item, 'The path ends with a slash, which the mock does not serve.', '4')
  const [post, get] = [operations.get(createKey), operations.get(listKey)]
  const others = [...operations].filter(([name]) => name !== createKey && name !== listKey)
  for (const [name, spot] of others)
    if (name === 'put' && post === undefined)
      note('contradicts', spot, `Plants are created by PUT, not ${createPlant.method}.`, createPlant.section)
    else note('outside', spot, `${name.toUpperCase()} ${shorten(path)}`)
  const sides: readonly Side[] = [
    ...(post ? [sideOf(reader, 'create', post)] : []),
    ...(get ? [sideOf(reader, 'list', get)] : []),
  ]
  for (const side of sides) readSuccess(reader, side)
  if (post) readCreate(reader, post, sides)
  if (get) readLimit(reader, item, get)
  readTypes(reader, sides)
  readSecurity(reader, sides)
  readFailures(reader, sides)
  return basePathOf(reader, item, baseOf(chosen))
}

/** The path with the defaults of its parameters: `/v1/plants` for `/v{version}/plants`. */
const filledPath = (reader: Reader, [path, item, operations]: Item): string => {
  const parameters = parametersOf(reader, item, ...operations.values())
  return path.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const schema = reader.shapeOf(childOf(parameters.get(`path ${name}`) ?? item, 'schema'))
    const [{ value } = { value: whole }] = schema.all('default')
    return typeof value === 'object' ? whole : String(value)
  })
}

const whyNoPath = (named: readonly Item[], lostReferences: Tree['lost']): string => {
  const [[path] = []] = named
  const [lost] = [...lostReferences].filter(([reference]) => !reference.startsWith('#'))
  if (path?.includes('{')) return `has the path ${shorten(path)}, whose parameter has no default. Add one.`
  if (path !== undefined)
    return `has the path ${shorten(path)}, but the contract has ${listPlants.path}: letters of another case make another path, which the mock does not serve.`
  if (lost !== undefined)
    return `has paths in other files, but the reference ${shorten(lost[0])} ${lost[1].reason}. Put all in one document: npx @redocly/cli bundle.`
  return `has no path that ends in ${listPlants.path} with ${listKey} or ${createKey}, so it says nothing about the plant store service.`
}

type Item = readonly [path: string, item: Spot, operations: ReadonlyMap<string, Spot>]

/** The operations that the contract leaves open, at their paths beside the chosen path. Names of parameters differ. */
const openOperationsIn = (items: readonly Item[], chosen: string): readonly (readonly [Operation, Spot])[] => {
  const base = withoutSlash(chosen).slice(0, -listPlants.path.length)
  const shape = (path: string): string => path.replaceAll(/\{[^{}]*\}/g, '{}')
  return Object.values(operations).flatMap((operation) => {
    const [, , found] = items.find(([path]) => shape(path) === shape(`${base}${operation.path}`)) ?? []
    const spot = operation.servedBy && found?.get(operation.method.toLowerCase())
    return spot === undefined ? [] : [[operation, spot] as const]
  })
}

/** A listed operation exists, with the first status of a success that the registry has. */
const readOpen = (reader: Reader, { servedBy, missingBy }: Operation, operation: Spot): void => {
  const responses = entriesOf(reader.at(operation, 'responses'))
  const first = (id: AssumptionId | undefined, statuses: RegExp): boolean =>
    id !== undefined && responses.some(([status, spot]) => statuses.test(status) && reader.set(id, status, spot))
  if (!first(servedBy, /^2/)) reader.note('unsupported', operation, 'No listed status of a success can be set.', '4.3')
  first(missingBy, /^404$/)
}

const operationsIn = ({ at }: Reader, spot: Spot): ReadonlyMap<string, Spot> => {
  const item = at(spot)
  return new Map(
    methods.flatMap((name) => {
      const own = childOf(spot, name)
      const operation = isJsonObject(own.value) ? own : childOf(item, name)
      return isJsonObject(operation.value) ? [[name, operation]] : []
    }),
  )
}

const maxOthers = 20

const noteOthers = ({ note, root }: Reader, items: readonly Item[]): void => {
  for (const [path, spot, operations] of items.slice(0, maxOthers))
    note('outside', spot, `${[...operations.keys()].join(', ').toUpperCase()} ${shorten(path)}`.trim())
  if (items.length > maxOthers)
    note('outside', childOf(root, 'paths'), `${plural(items.length - maxOthers, 'more path')}`)
  const webhooks = entriesOf(childOf(root, 'webhooks')).length
  if (webhooks > 0) note('outside', childOf(root, 'webhooks'), plural(webhooks, 'webhook'))
}

/** The path of the base URL, up to the path of the operations; `undefined` if servers differ in it. */
const basePathOf = ({ at, root }: Reader, item: Spot, above: string): string | undefined => {
  const servers = [at(item, 'servers'), at(root, 'servers')].map(entriesOf).find((list) => list.length > 0) ?? []
  const bases = new Set(servers.map(([, server]) => pathOf(at(server, 'url').value, at(server, 'variables'))))
  const [base = ''] = bases
  const whole = `${base}${above}`
  return bases.size > 1 || whole === '' || whole.includes('{') ? undefined : whole
}

const pathOf = (url: unknown, variables: Spot): string => {
  const text = typeof url === 'string' ? url : ''
  const filled = text.replaceAll(/\{([^{}]*)\}/g, (variable, name: string) => {
    const { value } = childOf(childOf(variables, name), 'default')
    return typeof value === 'string' ? value : variable
  })
  const path = filled.replace(/^(?:[a-z][a-z+.-]*:)?\/\/[^/?#]*/i, '')
  const base = 'http://plant-mock.invalid'
  if (path.includes('{') || !URL.canParse(path, base)) return path
  const { origin, pathname } = new URL(path, base)
  // `localhost:8080/v1` is a URL with the scheme `localhost`, and no server.
  return origin === base ? pathname.replace(/\/+$/, '') : ''
}
