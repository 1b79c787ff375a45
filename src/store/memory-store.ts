import type { Caller, FixturePlant, PlantDraft } from '../contract/schemas.ts'
import { IdIndex } from './id-index.ts'
import type { CreateResult, ListOptions, OnDuplicate, PlantStore, StoredPlant } from './plant-store.ts'

/** A store whose methods are synchronous. */
export interface MemoryStore extends PlantStore {
  create(caller: Caller, plant: PlantDraft, onDuplicate: OnDuplicate): CreateResult
  list(caller: Caller, options: ListOptions): readonly StoredPlant[]
  knows(caller: Caller): boolean
  seed(plants: Iterable<FixturePlant>): void
  all(): readonly StoredPlant[]
  replaceAll(plants: Iterable<FixturePlant>): void
  snapshot(): () => void
  /** The plant that a create of this caller with this id would duplicate. */
  find(caller: Caller, id: number): StoredPlant | undefined
}

class Row implements StoredPlant {
  /** Sequence number: position in the order of all plants, kept on replacement. */
  readonly seq: number
  readonly id: number | undefined
  readonly name: string
  readonly tag: string
  readonly access: readonly Caller[] | undefined
  json?: string

  constructor(seq: number, plant: PlantDraft | FixturePlant, access: readonly Caller[] | undefined) {
    this.seq = seq
    this.id = plant.id
    this.name = plant.name
    this.tag = plant.tag
    this.access = access
  }
}

/** The plants visible to one caller, or to all callers: ordered by `seq`, with the last plant of each id. */
class PlantIndex {
  // perf: one array shared by all plants that a caller creates (large stores in `npm run bench`).
  readonly access: readonly Caller[] | undefined
  readonly rows: Row[] = []
  readonly #positions = new IdIndex()

  constructor(caller?: Caller) {
    this.access = caller === undefined ? undefined : [caller]
  }

  add(row: Row): void {
    const position = this.rows.push(row) - 1
    if (row.id !== undefined) this.#positions.set(row.id, position)
  }

  find(id: number): Row | undefined {
    const position = this.#positions.get(id)
    return position === undefined ? undefined : this.rows[position]
  }

  /** Replaces the row that has the same `seq` and id. */
  replace(row: Row): void {
    this.rows[indexOfSeq(this.rows, row.seq)] = row
  }
}

/**
 * Makes the default store: rows in memory, indexed by caller and by id. A create takes O(1) and a list O(limit) time,
 * independent of the number of plants.
 */
export const memoryStore = (): MemoryStore => {
  let rows: Row[] = []
  let shared = new PlantIndex()
  let byCaller = new Map<Caller, PlantIndex>()

  const indexOf = (caller: Caller): PlantIndex => {
    let index = byCaller.get(caller)
    if (index === undefined) {
      index = new PlantIndex(caller)
      byCaller.set(caller, index)
    }
    return index
  }

  const add = (row: Row): Row => {
    rows.push(row)
    if (row.access === undefined) shared.add(row)
    else for (const caller of row.access) indexOf(caller).add(row)
    return row
  }

  const replace = (row: Row): Row => {
    rows[indexOfSeq(rows, row.seq)] = row
    for (const index of row.access?.map(indexOf) ?? [shared]) index.replace(row)
    return row
  }

  const clear = (): void => {
    rows = []
    shared = new PlantIndex()
    byCaller = new Map()
  }

  const nextSeq = (): number => (rows.at(-1)?.seq ?? -1) + 1

  const seed = (plants: Iterable<FixturePlant>): void => {
    for (const plant of plants) add(new Row(nextSeq(), plant, plant.access && [...new Set(plant.access)]))
  }

  const find = (caller: Caller, id: number): Row | undefined => byCaller.get(caller)?.find(id) ?? shared.find(id)

  return {
    create(caller, plant, onDuplicate) {
      const existing = plant.id === undefined || onDuplicate === 'accept' ? undefined : find(caller, plant.id)
      if (existing === undefined)
        return { outcome: 'created', plant: add(new Row(nextSeq(), plant, indexOf(caller).access)) }
      return onDuplicate === 'conflict'
        ? { outcome: 'conflict', plant: existing }
        : { outcome: 'replaced', plant: replace(new Row(existing.seq, plant, existing.access)) }
    },

    list: (caller, { limit, order }) => merge(byCaller.get(caller)?.rows ?? [], shared.rows, limit, order),

    knows: (caller) => byCaller.has(caller),

    seed,

    all: () => [...rows],

    replaceAll(plants) {
      clear()
      seed(plants)
    },

    find,

    snapshot() {
      const saved = [...rows]
      return () => {
        clear()
        for (const row of saved) add(row)
      }
    },
  }
}

/** Merges two lists that are each ordered by `seq`, up to `limit` rows. */
const merge = (a: readonly Row[], b: readonly Row[], limit: number, order: ListOptions['order']): readonly Row[] => {
  const isOldestFirst = order === 'added'
  if (isOldestFirst && a.length === 0) return b.slice(0, limit)
  const result: Row[] = []
  let [fromA, fromB] = [0, 0]
  for (const length = Math.min(limit, a.length + b.length); result.length < length; ) {
    // perf: no index is out of bounds, which V8 looks up slowly.
    const left = fromA < a.length ? a[isOldestFirst ? fromA : a.length - 1 - fromA] : undefined
    const right = fromB < b.length ? b[isOldestFirst ? fromB : b.length - 1 - fromB] : undefined
    if (left !== undefined && (right === undefined || left.seq < right.seq === isOldestFirst)) {
      result.push(left)
      fromA++
    } else if (right !== undefined) {
      result.push(right)
      fromB++
    }
  }
  return result
}

/** Binary search in rows ordered by `seq`. */
const indexOfSeq = (rows: readonly Row[], seq: number): number => {
  let low = 0
  let high = rows.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.seq ?? seq) < seq) low = middle + 1
    else high = middle
  }
  return low
}
