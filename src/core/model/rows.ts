import type { FixturePlant, PlantDraft, PlantId } from '../contract/schemas.ts'
import { IdIndex, Numbers, Texts } from './columns.ts'

export type StoredPlant = PlantDraft & {
  readonly access: readonly string[] | undefined
}

export const everyCaller = Symbol('every caller')
export const anyPlant = Symbol('any plant')
export type Group = string | typeof everyCaller | typeof anyPlant

const everyCallerAlone = [everyCaller] as const

export class Rows {
  length = 0
  readonly #names = new Texts()
  readonly #tags = new Texts()
  readonly #untagged = new Map<number, null | undefined>()
  /** NaN for a missing id. An id beyond ±(2^53 - 1) is rounded here, and exact in `#largeIds`. */
  readonly #ids = new Numbers(Float64Array)
  readonly #largeIds = new Map<number, bigint>()
  readonly #lists = new Numbers(Uint32Array)
  readonly #accessLists: StoredPlant['access'][] = [undefined]
  readonly #places = new Map<string, number>()
  readonly #positions = new Map<string | typeof everyCaller, Numbers>()
  #byId: IdIndex | undefined

  at(position: number): StoredPlant {
    return {
      id: this.#idAt(position),
      name: this.#names.at(position),
      tag: this.#untagged.has(position) ? this.#untagged.get(position) : this.#tags.at(position),
      access: this.#accessAt(position),
    }
  }

  untagged(length: number, isReplaced: (position: number) => boolean): number | undefined {
    for (const [position, tag] of this.#untagged)
      if (position >= length) return undefined
      else if (tag === undefined && !isReplaced(position)) return position
    return undefined
  }

  #idAt(position: number): PlantId | undefined {
    const id = this.#ids.at(position)
    return Number.isNaN(id) ? undefined : (this.#largeIds.get(position) ?? id)
  }

  largeId(length: number): number | undefined {
    const [first] = this.#largeIds.keys()
    return first !== undefined && first < length ? first : undefined
  }

  #accessAt(position: number): StoredPlant['access'] {
    return this.#accessLists[this.#lists.at(position) ?? 0]
  }

  get callers(): readonly string[] {
    return [...this.#positions.keys()].filter((caller) => caller !== everyCaller)
  }

  knows(caller: string, length: number): boolean {
    const first = this.#positions.get(caller)?.at(0)
    return first !== undefined && first < length
  }

  push({ id = Number.NaN, name, tag, access }: StoredPlant | FixturePlant): void {
    const position = this.length++
    const place = this.#placeOf(access)
    this.#names.push(name)
    this.#tags.push(tag ?? '')
    if (typeof tag !== 'string') this.#untagged.set(position, tag)
    this.#ids.push(Number(id))
    if (typeof id === 'bigint') this.#largeIds.set(position, id)
    this.#lists.push(place)
    for (const caller of this.#accessLists[place] ?? everyCallerAlone) this.#positionsOf(caller).push(position)
    this.#byId?.add(position)
  }

  extended(length: number, plant: StoredPlant | FixturePlant): Rows {
    if (length < this.length && isSamePlant(this.at(length), plant)) return this
    const rows = length === this.length ? this : this.#copy(length)
    rows.push(plant)
    return rows
  }

  addVisible(
    result: number[],
    caller: string,
    { length, offset, limit, order }: { length: number; offset: number; limit: number; order: 'added' | 'newest' },
  ): void {
    const own = this.#positions.get(caller) ?? none
    const open = this.#positions.get(everyCaller) ?? none
    const [ownEnd, openEnd] = [own.countBelow(length), open.countBelow(length)]
    const isOldestFirst = order === 'added'
    const step = isOldestFirst ? 1 : -1
    let i = isOldestFirst ? 0 : ownEnd - 1
    let j = isOldestFirst ? 0 : openEnd - 1
    while (result.length < limit) {
      const left = i >= 0 && i < ownEnd ? own.at(i) : undefined
      const right = j >= 0 && j < openEnd ? open.at(j) : undefined
      if (left !== undefined && (right === undefined || left < right === isOldestFirst)) {
        result.push(offset + left)
        i += step
      } else if (right !== undefined) {
        result.push(offset + right)
        j += step
      } else return
    }
  }

  find(group: Group, id: PlantId, length: number): number | undefined {
    if (group !== anyPlant && !this.#positions.has(group)) return undefined
    this.#byId ??= new IdIndex(this.#ids)
    let position = this.#byId.last(Number(id))
    // Compares exact ids, because large ids that round to the same number share a slot of the index.
    const isMatch = (at: number): boolean => at < length && this.#isIn(group, at) && this.#idAt(at) === id
    while (position !== undefined && !isMatch(position)) position = this.#byId.before(position)
    return position
  }

  #isIn(group: Group, position: number): boolean {
    const access = this.#accessAt(position)
    if (group === anyPlant) return true
    return group === everyCaller ? access === undefined : access?.includes(group) === true
  }

  #positionsOf(caller: string | typeof everyCaller): Numbers {
    let positions = this.#positions.get(caller)
    if (positions === undefined) {
      positions = new Numbers(Uint32Array)
      this.#positions.set(caller, positions)
    }
    return positions
  }

  #copy(length: number): Rows {
    const rows = new Rows()
    for (let position = 0; position < length; position++) rows.push(this.at(position))
    return rows
  }

  #placeOf(access: StoredPlant['access']): number {
    if (access === undefined) return 0
    const key = access.length === 1 ? (access[0] as string) : access.join(' ')
    let place = this.#places.get(key)
    if (place === undefined) {
      place = this.#accessLists.push([...new Set(access)]) - 1
      this.#places.set(key, place)
    }
    return place
  }
}

const none = new Numbers(Uint32Array)

export const isSamePlant = (a: StoredPlant | FixturePlant, b: StoredPlant | FixturePlant): boolean =>
  a.id === b.id && a.name === b.name && a.tag === b.tag && isSameAccess(a.access, b.access)

export const isSameAccess = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((caller, i) => caller === b[i]))
