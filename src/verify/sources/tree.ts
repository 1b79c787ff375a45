import { dirname, join } from 'node:path'
import type { AssumptionId } from '../../core/assumptions/registry.ts'
import { isJsonLikeType } from '../../core/http/media-type.ts'
import { fileBeside } from '../../server/files/har-text.ts'
import { groupBy } from '../../util/group-by.ts'
import { isJsonObject, parseJson } from '../../util/json.ts'
import { parseYaml } from '../../util/yaml.ts'
import type { SourceNote } from './source.ts'

/** A value and the path of names to it. @property file A file beside the document; empty for the document itself. */
export type Spot = { readonly value: unknown; readonly path: readonly string[]; readonly file: string }

/** @param from The file that contains the reference. */
export type OpenFile = (reference: string, from: string) => Pick<Spot, 'file' | 'value'> | { readonly reason: string }

/** A schema, merged with all schemas that apply to the same value: through `$ref`, `allOf`, and `oneOf` with `null`. */
export type Shape = {
  readonly parts: readonly Spot[]
  readonly types: ReadonlySet<string> | undefined
  readonly isNullable: boolean
  /** Whether several schemas are alternatives (`oneOf`, `anyOf`). */
  readonly hasChoices: boolean
  readonly all: (keyword: string) => readonly Spot[]
  readonly property: (name: string) => Shape | undefined
  readonly names: readonly string[]
  /** The names in `required`, with the place of the first; `undefined` if no part has the keyword. */
  readonly required: { readonly names: ReadonlySet<string>; readonly spot: Spot } | undefined
}

export type Tree = ReturnType<typeof treeOf>

export type Reader = Tree &
  Readonly<Record<SourceNote['kind'], (spot: Spot, text: string, section?: string) => void>> & {
    readonly root: Spot
    /**
     * @param words Shown after the path, such as `not required`.
     * @param evidence What a weak value rests on.
     * @returns Whether the mock has the value.
     */
    readonly set: (id: AssumptionId, value: string | number, spot: Spot, words?: string, evidence?: string) => boolean
  }

const maxHops = 32
const maxParts = 1000

export const entriesOf = ({ value, path, file }: Spot): readonly (readonly [string, Spot])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, member]) => [name, { value: member, path: [...path, name], file }])
    : []

const membersOf = (spot: Spot): readonly Spot[] => entriesOf(spot).map(([, member]) => member)

/** Works for a million values, for which `push(...)` throws. */
const add = (list: Spot[], more: readonly Spot[]): void => {
  for (const one of more) list.push(one)
}

/** Reads own members only: a document may have a name like `constructor`. */
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

export const isMarked = (shape: Shape | undefined, keyword: string): boolean =>
  shape?.all(keyword).some(({ value }) => value === true) ?? false

export const childOf = ({ value, path, file }: Spot, name: string): Spot => ({
  value: memberOf(value, name),
  path: [...path, name],
  file,
})

/** Some generators write the numbers of these keywords as text. */
const numericKeyword = /^(?:default|(?:exclusive)?(?:min|max)imum|(?:min|max)Length)$/i

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value

/** @param hasSiblings Whether members next to a `$ref` count in a schema: since OpenAPI 3.1. */
export const treeOf = (root: Spot, hasSiblings: boolean, open: OpenFile) => {
  /** The place is the first use of the reference. */
  const unresolved = new Map<string, { readonly spot: Spot; readonly reason: string }>()

  const fail = (spot: Spot, reference: string, reason: string): Spot => {
    if (!unresolved.has(reference)) unresolved.set(reference, { spot, reason })
    return { ...spot, value: undefined }
  }

  const targetOf = (spot: Spot, reference: string): Spot => {
    const [address = '', pointer = ''] = reference.split(/#(.*)/s)
    const opened = address === '' && spot.file === '' ? root : open(address, spot.file)
    if ('reason' in opened) return fail(spot, reference, opened.reason)
    const path = namesOf(pointer)
    const value = path.reduce<unknown>(memberOf, opened.value)
    return value === undefined ? fail(spot, reference, 'leads to nothing') : { value, path, file: opened.file }
  }

  const follow = (spot: Spot): Spot => {
    let found = spot
    for (let hops = 0; ; hops++) {
      const reference = memberOf(found.value, '$ref')
      if (typeof reference !== 'string') return found
      if (hops === maxHops) return fail(spot, reference, 'leads back to itself, or too far')
      found = targetOf(found, reference)
    }
  }

  const isNull = (spot: Spot): boolean => childOf(follow(spot), 'type').value === 'null'

  const shapeOf = (...schemas: readonly Spot[]): Shape => {
    const seen = new Set<unknown>()
    const parts: Spot[] = []
    let hasChoices = false
    let hasNull = false
    const waiting = [...schemas]
    // The loop also visits the schemas that it appends.
    for (const spot of waiting) {
      if (waiting.length > maxParts) break
      if (!isJsonObject(spot.value) || seen.has(spot.value)) continue
      seen.add(spot.value)
      const reference = memberOf(spot.value, '$ref')
      if (typeof reference === 'string') waiting.push(targetOf(spot, reference))
      if (typeof reference === 'string' && (!hasSiblings || Object.keys(spot.value).length === 1)) continue
      parts.push(spot)
      add(waiting, membersOf(childOf(spot, 'allOf')))
      for (const keyword of ['oneOf', 'anyOf']) {
        const all = membersOf(childOf(spot, keyword))
        const others = all.filter((one) => !isNull(one))
        hasNull ||= others.length < all.length
        hasChoices ||= others.length > 1
        if (others.length === 1) add(waiting, others)
      }
    }
    // A partial reading of a schema of this size could be wrong.
    if (waiting.length > maxParts) parts.length = 0
    const all = (keyword: string) =>
      parts.flatMap((part) => {
        const spot = childOf(part, keyword)
        if (spot.value === undefined) return []
        return [numericKeyword.test(keyword) ? { ...spot, value: asNumber(spot.value) } : spot]
      })
    const types = typesIn(all)
    const properties = groupBy(all('properties').flatMap(entriesOf), ([name]) => name)
    const required = all('required').filter(({ value }) => Array.isArray(value))
    const [first] = required
    return {
      parts,
      types,
      isNullable: hasNull || types?.has('null') === true || all('nullable').some(({ value }) => value === true),
      hasChoices,
      all,
      names: [...properties.keys()],
      property(name) {
        const found = properties.get(name)
        return found && shapeOf(...found.map(([, spot]) => spot))
      },
      required: first && {
        names: new Set(required.flatMap(({ value }) => textsIn(value))),
        spot: first,
      },
    }
  }

  return {
    at: (spot: Spot, ...names: readonly string[]): Spot =>
      names.reduce((from, name) => follow(childOf(from, name)), follow(spot)),
    shapeOf,
    unresolved,
  }
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** RFC 6901, 6. */
const namesOf = (fragment: string): readonly string[] => {
  const names = fragment === '' ? [] : decoded(fragment).replace(/^\//, '').split('/')
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Without its escapes; a malformed text as it is. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const typesIn = (all: Shape['all']): ReadonlySet<string> | undefined => {
  const [first, ...others] = all('type').map(({ value }) => new Set(textsIn([value].flat())))
  if (first !== undefined) return new Set([...first].filter((type) => others.every((types) => types.has(type))))
  if (all('properties').length > 0) return new Set(['object'])
  return all('items').length > 0 ? new Set(['array']) : undefined
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

/** In bytes. Parsed YAML needs about eighty times its size in memory. */
const maxSize = 8 * 1024 * 1024

/** Never opens addresses or files outside of the document's folder: a document may come from anywhere. */
export const filesBeside = (document: string): OpenFile => {
  const opened = new Map<string, ReturnType<OpenFile>>()
  const open = (file: string): ReturnType<OpenFile> => {
    const found = fileBeside(document, file, maxSize)
    if ('reason' in found) return found
    const text = found.bytes.toString()
    const json = parseJson(text)
    const parsed = 'value' in json ? json : parseYaml(text)
    return 'error' in parsed ? { reason: `leads to a file that is not YAML: ${parsed.error}` } : { file, ...parsed }
  }
  return (reference, from) => {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(reference)) return { reason: 'is an address, which is never fetched' }
    const file = reference === '' ? from : join(dirname(from), decoded(reference))
    const found = opened.get(file) ?? open(file)
    opened.set(file, found)
    return found
  }
}
