import type { Entry } from '../../core/assumptions/file.ts'
import { type AssumptionId, findAssumption, parseValue } from '../../core/assumptions/registry.ts'
import type { Operation } from '../../core/operations/operation.ts'
import { operations } from '../../core/operations/operations.ts'
import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject } from '../../util/json.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import { readFailures } from './failures.ts'
import type { Reader, Side } from './operations.ts'
import { parametersOf, readCreate, readParameters, readSecurity, readSide, readTypes } from './operations.ts'
import type { Source, SourceNote } from './source.ts'
import { childOf, entriesOf, type OpenFile, type Spot, type Tree, treeOf } from './tree.ts'

const { createPlant, listPlants } = operations
const [createKey, listKey] = [createPlant, listPlants].map(({ method }) => method.toLowerCase()) as [string, string]

const withoutSlash = (path: string): string => path.replace(/\/$/, '')

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

export const readDocument = (content: unknown, file: string, open: OpenFile = openNone): Source => {
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
    note: (kind, spot, text, section, statements) =>
      notes.push({
        ...{ kind, place: placeOf(spot), text },
        ...(section !== undefined && { section }),
        ...(statements && { statements }),
      }),
  }
  const basePath = readPaths(reader, file, tree.unresolved)
  for (const [reference, { spot, reason }] of [...tree.unresolved].slice(0, maxOthers))
    reader.note('unsupported', spot, `The reference ${shorten(reference)} ${reason}.`)
  if (tree.unresolved.size > maxOthers)
    reader.note(
      'unsupported',
      root,
      `${plural(tree.unresolved.size - maxOthers, 'more reference')} cannot be followed.`,
    )
  return { file, kind: 'document', entries, notes, broken: [], ...(basePath && { basePath }) }
}

const openNone: OpenFile = () => ({ reason: 'leads out of the document, which is not read from a folder' })

const readPaths = (reader: Reader, file: string, unresolved: Tree['unresolved']): string | undefined => {
  const { note, root } = reader
  const paths = childOf(root, 'paths')
  const items = entriesOf(paths).map(([path, spot]): Item => ({ path, spot, operations: operationsIn(reader, spot) }))
  const named = items.filter(
    ({ path, operations }) =>
      withoutSlash(path).toLowerCase().endsWith(listPlants.path) &&
      [createKey, listKey].some((key) => operations.has(key)),
  )
  const baseOf = (item: Item) => withoutSlash(filledPath(reader, item)).slice(0, -listPlants.path.length)
  const candidates = named.filter(
    (item) => !baseOf(item).includes('{') && withoutSlash(item.path).endsWith(listPlants.path),
  )
  if (candidates.length === 0) throw new PlantMockError(`${file} ${whyNoPath(named, unresolved)}`)
  const [chosen, other] = candidates.length > 1 ? candidates.filter(({ path }) => path === listPlants.path) : candidates
  if (chosen === undefined || other !== undefined) {
    noteOthers(reader, items, new Set(candidates.flatMap(({ operations }) => [...operations.values()])))
    const names = shorten(candidates.map(({ path }) => path).join(' and '), 200)
    note('unsupported', paths, `${names} may each be the service, so none was read. Remove all but one.`)
    return undefined
  }
  const { path, spot: item, operations } = chosen
  const open = openOperationsIn(items, path)
  for (const [operation, spot] of open) readOpen(reader, operation, spot)
  const [post, get, put] = [createKey, listKey, 'put'].map((key) => operations.get(key))
  const replaced = post === undefined ? put : undefined
  noteOthers(reader, items, new Set([post, get, replaced, ...open.map(([, spot]) => spot)]))
  if (path.endsWith('/')) note('contradicts', item, 'The path ends with a slash, which the mock does not serve.', '4')
  if (replaced !== undefined)
    note('contradicts', replaced, `Plants are created by PUT, not ${createPlant.method}.`, createPlant.section)
  const sides: readonly Side[] = [
    ...(post ? [readSide(reader, 'create', post)] : []),
    ...(get ? [readSide(reader, 'list', get)] : []),
  ]
  if (post) readCreate(reader, post, sides)
  for (const side of sides) readParameters(reader, item, side)
  readTypes(reader, sides)
  readSecurity(reader, sides)
  readFailures(reader, sides)
  return basePathOf(reader, item, baseOf(chosen))
}

const fill = (text: string, defaultOf: (name: string) => unknown): string =>
  text.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = defaultOf(name)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole
  })

/** Replaces path parameters by their defaults, for example `/v{version}/plants` by `/v1/plants`. */
const filledPath = (reader: Reader, { path, spot, operations }: Item): string => {
  const parameters = parametersOf(reader, spot, ...operations.values())
  return fill(path, (name) => {
    const parameter = parameters.get(`path ${name}`)
    return parameter && reader.shapeOf(childOf(parameter, 'schema')).all('default')[0]?.value
  })
}

const whyNoPath = (similar: readonly Item[], unresolved: Tree['unresolved']): string => {
  const path = similar[0]?.path
  const [lost] = [...unresolved].filter(([reference]) => !reference.startsWith('#'))
  if (path?.includes('{')) return `has the path ${shorten(path)}, whose parameter has no default. Add one.`
  if (path !== undefined)
    return `has the path ${shorten(path)}, but the contract has ${listPlants.path}: paths are case-sensitive.`
  if (lost !== undefined)
    return `has paths in other files, but the reference ${shorten(lost[0])} ${lost[1].reason}. Put all in one document: npx @redocly/cli bundle.`
  return `has no path that ends in ${listPlants.path} with ${listKey} or ${createKey}, so it says nothing about the plant store service.`
}

type Item = { readonly path: string; readonly spot: Spot; readonly operations: ReadonlyMap<string, Spot> }

const openOperationsIn = (items: readonly Item[], chosen: string): readonly (readonly [Operation, Spot])[] => {
  const base = withoutSlash(chosen).slice(0, -listPlants.path.length)
  const shape = (path: string): string => path.replaceAll(/\{[^{}]*\}/g, '{}')
  return Object.values(operations).flatMap((operation) => {
    const found = items.find(({ path }) => shape(path) === shape(`${base}${operation.path}`))
    const spot = operation.servedBy && found?.operations.get(operation.method.toLowerCase())
    return spot === undefined ? [] : [[operation, spot] as const]
  })
}

const readOpen = (reader: Reader, { servedBy, missingBy }: Operation, operation: Spot): void => {
  const responses = entriesOf(reader.at(operation, 'responses'))
  const first = (id: AssumptionId | undefined, statuses: RegExp): boolean =>
    id !== undefined && responses.some(([status, spot]) => statuses.test(status) && reader.set(id, status, spot))
  if (!first(servedBy, /^2/))
    reader.note('unsupported', operation, 'The mock supports none of the listed success statuses.', '4.3')
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

/** Also notes a path without operations, because the `$ref` of such a path may be unresolved. */
const noteOthers = ({ note, root }: Reader, items: readonly Item[], read: ReadonlySet<Spot | undefined>): void => {
  const others = items.flatMap(({ path, spot, operations }) => {
    const names = [...operations].filter(([, operation]) => !read.has(operation)).map(([name]) => name.toUpperCase())
    return names.length > 0 || operations.size === 0
      ? [{ spot, text: `${names.join(', ')} ${shorten(path)}`.trim() }]
      : []
  })
  for (const { spot, text } of others.slice(0, maxOthers)) note('outside', spot, text)
  if (others.length > maxOthers) note('outside', childOf(root, 'paths'), plural(others.length - maxOthers, 'more path'))
  const webhooks = entriesOf(childOf(root, 'webhooks')).length
  if (webhooks > 0) note('outside', childOf(root, 'webhooks'), plural(webhooks, 'webhook'))
}

const basePathOf = ({ at, root }: Reader, item: Spot, above: string): string | undefined => {
  const servers = [at(item, 'servers'), at(root, 'servers')].map(entriesOf).find((list) => list.length > 0) ?? []
  const bases = new Set(servers.map(([, server]) => pathOf(at(server, 'url').value, at(server, 'variables'))))
  const [base = ''] = bases
  const whole = `${base}${above}`
  return bases.size > 1 || whole === '' || whole.includes('{') ? undefined : whole
}

const pathOf = (url: unknown, variables: Spot): string => {
  const filled = fill(typeof url === 'string' ? url : '', (name) => childOf(childOf(variables, name), 'default').value)
  const path = filled.replace(/^(?:[a-z][a-z+.-]*:)?\/\/[^/?#]*/i, '')
  const base = 'http://plant-mock.invalid'
  if (path.includes('{') || !URL.canParse(path, base)) return path
  const { origin, pathname } = new URL(path, base)
  // Ignores an address without a scheme, because `localhost:8080/v1` parses as a URL with the scheme `localhost`.
  return origin === base ? pathname.replace(/\/+$/, '') : ''
}
