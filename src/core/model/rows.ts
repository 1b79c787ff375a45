import type { FixturePlant, PlantDraft } from '../contract/schemas.ts'

/** A plant of the store. */
export type StoredPlant = PlantDraft & {
  /** The keys of the callers that may see the plant; `undefined` means every caller. */
  readonly access: readonly string[] | undefined
}

export const everyCaller = Symbol('every caller')
export const anyPlant = Symbol('any plant')
/** Plants that are indexed together: those whose `access` names a caller, those without `access`, or all. */
export type Group = string | typeof everyCaller | typeof anyPlant

const everyCallerAlone: readonly Group[] = [everyCaller]

/**
 * Plants in columns, with indexes, that only grow. A reader says how many rows its version has, and does not see the rows
 * after these.
 * perf: an object for each plant takes twice the memory, and slows down each garbage collection.
 */
export class Rows {
  readonly #names: string[] = []
  readonly #tags: string[] = []
  readonly #ids: (number | undefined)[] = []
  readonly #access: StoredPlant['access'][] = []
  readonly #groups = new Map<Group, Positions>()
  readonly #accessLists = new Map<string, readonly string[]>()

  get length(): number {
    return this.#names.length
  }

  at(position: number): StoredPlant {
    return {
      id: this.#ids[position],
      name: this.#names[position] as string,
      tag: this.#tags[position] as string,
      access: this.#access[position],
    }
  }

  /** The callers that any `access` names. */
  get callers(): readonly string[] {
    return [...this.#groups.keys()].filter((group) => typeof group === 'string')
  }

  /** Whether one of the first `length` plants names the caller. */
  knows(caller: string, length: number): boolean {
    const first = this.#groups.get(caller)?.list[0]
    return first !== undefined && first < length
  }

  /** Adds a row while a version is made. */
  push({ id, name, tag, access }: StoredPlant | FixturePlant): void {
    const position = this.length
    const shared = access && this.#sharedAccess(access)
    this.#names.push(name)
    this.#tags.push(tag)
    this.#ids.push(id)
    this.#access.push(shared)
    for (const group of shared ?? everyCallerAlone) this.#group(group).add(position, id)
    this.#groups.get(anyPlant)?.add(position, id)
  }

  /**
   * The first `length` rows and one more: these, if they end there, or go on with an equal plant; a copy where another
   * version has gone on with another plant.
   */
  extended(length: number, plant: StoredPlant | FixturePlant): Rows {
    if (length < this.length && isSamePlant(this.at(length), plant)) return this
    const rows = length === this.length ? this : this.#copy(length)
    rows.push(plant)
    return rows
  }

  /** Appends the positions of the plants that the caller may see, until there are `limit`. */
  addVisible(
    result: number[],
    caller: string,
    { length, offset, limit, order }: { length: number; offset: number; limit: number; order: 'added' | 'newest' },
  ): void {
    const own = this.#groups.get(caller)?.list ?? none
    const open = this.#groups.get(everyCaller)?.list ?? none
    const [ownEnd, openEnd] = [countBelow(own, length), countBelow(open, length)]
    const isOldestFirst = order === 'added'
    const step = isOldestFirst ? 1 : -1
    let i = isOldestFirst ? 0 : ownEnd - 1
    let j = isOldestFirst ? 0 : openEnd - 1
    while (result.length < limit) {
      const left = i >= 0 && i < ownEnd ? own[i] : undefined
      const right = j >= 0 && j < openEnd ? open[j] : undefined
      if (left !== undefined && (right === undefined || left < right === isOldestFirst)) {
        result.push(offset + left)
        i += step
      } else if (right !== undefined) {
        result.push(offset + right)
        j += step
      } else return
    }
  }

  /** The position of the last plant of a group with this id, among the first `length` plants. */
  find(group: Group, id: number, length: number): number | undefined {
    if (group === anyPlant && !this.#groups.has(anyPlant))
      for (const position of this.#names.keys()) this.#group(anyPlant).add(position, this.#ids[position])
    return this.#groups.get(group)?.find(id, length, this.#ids)
  }

  #group(group: Group): Positions {
    let positions = this.#groups.get(group)
    if (positions === undefined) {
      positions = new Positions()
      this.#groups.set(group, positions)
    }
    return positions
  }

  #copy(length: number): Rows {
    const rows = new Rows()
    for (let position = 0; position < length; position++) rows.push(this.at(position))
    return rows
  }

  /** One array for all equal lists of callers, without repeated ones. */
  #sharedAccess(access: readonly string[]): readonly string[] {
    // Tokens have no spaces (RFC 6750, 2.1).
    const key = access.length === 1 ? (access[0] as string) : access.join(' ')
    let list = this.#accessLists.get(key)
    if (list === undefined) {
      list = [...new Set(access)]
      this.#accessLists.set(key, list)
    }
    return list
  }
}

/** Positions in ascending order, and by id. */
class Positions {
  readonly list: number[] = []
  /** The last position of each id. Made by the first search, because lists do not need it. */
  #last: Map<number, number> | undefined
  /** The position before this one that has the same id. */
  readonly #previous = new Map<number, number>()

  add(position: number, id: number | undefined): void {
    this.list.push(position)
    if (this.#last !== undefined) this.#index(position, id, this.#last)
  }

  find(id: number, length: number, ids: readonly (number | undefined)[]): number | undefined {
    if (this.#last === undefined) {
      this.#last = new Map()
      for (const position of this.list) this.#index(position, ids[position], this.#last)
    }
    let position = this.#last.get(id)
    while (position !== undefined && position >= length) position = this.#previous.get(position)
    return position
  }

  #index(position: number, id: number | undefined, last: Map<number, number>): void {
    if (id === undefined) return
    const previous = last.get(id)
    if (previous !== undefined) this.#previous.set(position, previous)
    last.set(id, position)
  }
}

const none: readonly number[] = []

/** How many of the ascending numbers are below a bound. */
const countBelow = (numbers: readonly number[], bound: number): number => {
  let end = numbers.length
  if (end === 0 || (numbers[end - 1] as number) < bound) return end
  let start = 0
  while (start < end) {
    const middle = (start + end) >>> 1
    if ((numbers[middle] as number) < bound) start = middle + 1
    else end = middle
  }
  return start
}

export const isSamePlant = (a: StoredPlant | FixturePlant, b: StoredPlant | FixturePlant): boolean =>
  a.id === b.id && a.name === b.name && a.tag === b.tag && isSameAccess(a.access, b.access)

const isSameAccess = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((caller, i) => caller === b[i]))
