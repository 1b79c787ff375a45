import type { Caller, FixturePlant, PlantDraft } from '../contract/schemas.ts'
import { IdIndex } from './id-index.ts'
import type { ListOptions, PlantStore, StoredPlant } from './plant-store.ts'

/** A store whose methods are synchronous. */
export type MemoryStore = {
  [Name in Exclude<keyof PlantStore, 'callerKey'>]: (
    ...args: Parameters<PlantStore[Name]>
  ) => Awaited<ReturnType<PlantStore[Name]>>
} & {
  /** The plant that a create of this caller with this id would duplicate. */
  find(caller: Caller, id: number): StoredPlant | undefined
}

type Row = StoredPlant & {
  /** Sequence number: position in the order of all plants, kept on replacement. */
  readonly seq: number
}

const toRow = (seq: number, { id, name, tag }: PlantDraft | FixturePlant, access: Row['access']): Row => ({
  seq,
  id,
  name,
  tag,
  access,
  json: undefined,
})

/** The plants visible to one caller, or to all callers: ordered by `seq`, with the last plant of each id. */
class PlantIndex {
  // perf: one array shared by all plants that a caller creates (large stores in `npm run bench`).
  readonly access: Row['access']
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

  /** Replaces the row that has the same `seq` and id. */
  const replace = (row: Row): Row => {
    const lists = row.access?.map((caller) => indexOf(caller).rows) ?? [shared.rows]
    for (const list of [rows, ...lists]) list[indexOfSeq(list, row.seq)] = row
    return row
  }

  const clear = (): void => {
    rows = []
    shared = new PlantIndex()
    byCaller = new Map()
  }

  const nextSeq = (): number => (rows.at(-1)?.seq ?? -1) + 1

  const seed = (plants: Iterable<FixturePlant>): void => {
    for (const plant of plants) add(toRow(nextSeq(), plant, plant.access && [...new Set(plant.access)]))
  }

  const find = (caller: Caller, id: number): Row | undefined => byCaller.get(caller)?.find(id) ?? shared.find(id)

  return {
    create(caller, plant, onDuplicate) {
      const existing = plant.id === undefined || onDuplicate === 'accept' ? undefined : find(caller, plant.id)
      if (existing === undefined)
        return { outcome: 'created', plant: add(toRow(nextSeq(), plant, indexOf(caller).access)) }
      return onDuplicate === 'conflict'
        ? { outcome: 'conflict', plant: existing }
        : { outcome: 'replaced', plant: replace(toRow(existing.seq, plant, existing.access)) }
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
  const length = Math.min(limit, a.length + b.length)
  const isOldestFirst = order === 'added'
  if (isOldestFirst && a.length === 0) return b.slice(0, length)
  const step = isOldestFirst ? 1 : -1
  // perf: allocated once, and read within bounds only, because V8 looks up other indices slowly (`npm run bench`, GET).
  const result = new Array<Row>(length)
  let i = isOldestFirst ? 0 : a.length - 1
  let j = isOldestFirst ? 0 : b.length - 1
  for (let count = 0; count < length; count++) {
    const left = i >= 0 && i < a.length ? a[i] : undefined
    const right = j >= 0 && j < b.length ? b[j] : undefined
    if (left !== undefined && (right === undefined || left.seq < right.seq === isOldestFirst)) {
      result[count] = left
      i += step
    } else if (right !== undefined) {
      result[count] = right
      j += step
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
