import { isJsonObject } from '../../util/json.ts'

export type Spot = { readonly value: unknown; readonly path: readonly string[]; readonly file: string }

export type OpenFile = (reference: string, from: string) => Pick<Spot, 'file' | 'value'> | { readonly reason: string }

/** A schema merged with the schemas that it includes through `$ref`, `allOf`, or `oneOf` with `null`. */
export type Shape = {
  readonly parts: readonly Spot[]
  readonly types: ReadonlySet<string> | undefined
  readonly isNullable: boolean
  readonly choices: readonly Spot[]
  readonly all: (keyword: string) => readonly Spot[]
  readonly property: (name: string) => Shape | undefined
  readonly names: readonly string[]
  readonly required: { readonly names: ReadonlySet<string>; readonly spot: Spot } | undefined
}

export type Tree = {
  readonly at: (spot: Spot, ...names: readonly string[]) => Spot
  readonly shapeOf: (...schemas: readonly Spot[]) => Shape
  readonly unresolved: ReadonlyMap<string, { readonly spot: Spot; readonly reason: string }>
}

const maxHops = 32
const maxParts = 1000

export const entriesOf = ({ value, path, file }: Spot): readonly (readonly [string, Spot])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, member]) => [name, { value: member, path: [...path, name], file }])
    : []

const membersOf = (spot: Spot): readonly Spot[] => entriesOf(spot).map(([, member]) => member)

/** Appends in a loop, because `push(...more)` throws a RangeError for a million values. */
const add = (list: Spot[], more: readonly Spot[]): void => {
  for (const one of more) list.push(one)
}

/** Reads own members only, because a document may have a name like `constructor`. */
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

const numericKeyword = /^(?:default|(?:exclusive)?(?:min|max)imum|(?:min|max)(?:Length|Items))$/i

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value

export const keywordIn = (parts: readonly Spot[], keyword: string): readonly Spot[] => {
  const found = parts.map((part) => childOf(part, keyword)).filter(({ value }) => value !== undefined)
  if (!numericKeyword.test(keyword)) return found
  const sign = /min/i.test(keyword) ? -1 : 1
  const rank = ({ value }: Spot) => (typeof value === 'number' && keyword !== 'default' ? sign * value : Infinity)
  return found.map((spot) => ({ ...spot, value: asNumber(spot.value) })).sort((a, b) => rank(a) - rank(b) || 0)
}

/** @param hasSiblings Whether members next to a `$ref` apply, as in OpenAPI 3.1 and later. */
export const treeOf = (root: Spot, hasSiblings: boolean, open: OpenFile): Tree => {
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
    if (path === undefined) return fail(spot, reference, 'is not a JSON Pointer')
    const value = path.reduce<unknown>(memberOf, opened.value)
    return value === undefined ? fail(spot, reference, 'leads to nothing') : { value, path, file: opened.file }
  }

  const follow = (spot: Spot): Spot => {
    let found = spot
    for (let hops = 0; ; hops++) {
      const reference = memberOf(found.value, '$ref')
      if (typeof reference !== 'string') return found
      if (hops === maxHops) return fail(spot, reference, 'leads back to itself, or through too many references')
      found = targetOf(found, reference)
    }
  }

  const isNull = (spot: Spot): boolean => childOf(follow(spot), 'type').value === 'null'

  const shapeOf = (...schemas: readonly Spot[]): Shape => {
    const seen = new Set<unknown>()
    const parts: Spot[] = []
    const choices: Spot[] = []
    let hasNull = false
    const waiting = [...schemas]
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
        add(others.length === 1 ? waiting : choices, others)
      }
    }
    // Ignores a schema with too many parts, because a value from only some parts could be wrong.
    if (waiting.length > maxParts) parts.length = 0
    const all = (keyword: string) => keywordIn(parts, keyword)
    const types = typesIn(all)
    const takesNull = types?.has('null') || all('nullable').some(({ value }) => value === true)
    const properties = new Map<string, Spot[]>()
    for (const [name, spot] of all('properties').flatMap(entriesOf)) {
      const same = properties.get(name)
      if (same === undefined) properties.set(name, [spot])
      else same.push(spot)
    }
    const required = all('required').filter(({ value }) => Array.isArray(value))
    const [first] = required
    return {
      parts,
      types,
      isNullable: hasNull || (takesNull && all('enum').every(({ value }) => [value].flat().includes(null))),
      choices,
      all,
      names: [...properties.keys()],
      property(name) {
        const found = properties.get(name)
        return found && shapeOf(...found)
      },
      required: first && {
        names: new Set(required.flatMap(({ value }) => textsIn(value))),
        spot: first,
      },
    }
  }

  return {
    at: (spot, ...names) => names.reduce((from, name) => follow(childOf(from, name)), follow(spot)),
    shapeOf,
    unresolved,
  }
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** RFC 6901 requires decoding `~1` before `~0`: `~01` means `~1`, not `/`. */
const namesOf = (fragment: string): readonly string[] | undefined => {
  try {
    const pointer = decodeURIComponent(fragment)
    if (pointer === '') return []
    if (!pointer.startsWith('/')) return undefined
    return pointer
      .slice(1)
      .split('/')
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return undefined
  }
}

const typesIn = (all: Shape['all']): ReadonlySet<string> | undefined => {
  const [first, ...others] = all('type').map(({ value }) => new Set(textsIn([value].flat())))
  if (first !== undefined) return new Set([...first].filter((type) => others.every((types) => types.has(type))))
  if (all('properties').length > 0) return new Set(['object'])
  return all('items').length > 0 ? new Set(['array']) : undefined
}
