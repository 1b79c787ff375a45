import type { Caller, FixturePlant, PlantDraft } from '../contract/schemas.ts'
import { IdIndex } from './id-index.ts'
import type { CreateResult, ListOptions, OnDuplicate, PlantStore, StoredPlant } from './plant-store.ts'

/** A store that answers at once. */
export interface MemoryStore extends PlantStore {
  create(caller: Caller, plant: PlantDraft, onDuplicate: OnDuplicate): CreateResult
  list(caller: Caller, options: ListOptions): readonly StoredPlant[]
  knows(caller: Caller): boolean
  seed(plants: Iterable<FixturePlant>): void
  all(): readonly StoredPlant[]
  refill(plants: Iterable<FixturePlant>): void
  snapshot(): () => void
  /** The plant with this id that a create of this caller would meet. */
  find(caller: Caller, id: number): StoredPlant | undefined
}

class Row implements StoredPlant {
  /** Place in the one order of all plants. */
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

/** The plants that one caller, or everyone, may see: in order, and the latest with each id. */
class Shelf {
  /** The `access` of what a caller creates, shared by all these plants. */
  readonly access: readonly Caller[] | undefined
  readonly rows: Row[] = []
  readonly #places = new IdIndex()

  constructor(caller?: Caller) {
    this.access = caller === undefined ? undefined : [caller]
  }

  add(row: Row): void {
    const place = this.rows.push(row) - 1
    if (row.id !== undefined) this.#places.set(row.id, place)
  }

  find(id: number): Row | undefined {
    const place = this.#places.get(id)
    return place === undefined ? undefined : this.rows[place]
  }

  /** Puts `row` in the place of the row with the same `seq` and id. */
  replace(row: Row): void {
    this.rows[indexOfSeq(this.rows, row.seq)] = row
  }
}

/**
 * The default store: plain rows in memory, indexed by caller and by id.
 * A create costs O(1) and a list O(limit), however many plants the store holds.
 */
export const memoryStore = (): MemoryStore => {
  let rows: Row[] = []
  let shared = new Shelf()
  let own = new Map<Caller, Shelf>()

  const shelfOf = (caller: Caller): Shelf => {
    let shelf = own.get(caller)
    if (shelf === undefined) {
      shelf = new Shelf(caller)
      own.set(caller, shelf)
    }
    return shelf
  }

  const shelvesOf = ({ access }: Row): readonly Shelf[] =>
    access === undefined ? [shared] : access.map(shelfOf)

  const add = (row: Row): Row => {
    rows.push(row)
    if (row.access === undefined) shared.add(row)
    else for (const caller of row.access) shelfOf(caller).add(row)
    return row
  }

  const replace = (row: Row): Row => {
    rows[indexOfSeq(rows, row.seq)] = row
    for (const shelf of shelvesOf(row)) shelf.replace(row)
    return row
  }

  const clear = (): void => {
    rows = []
    shared = new Shelf()
    own = new Map()
  }

  const nextSeq = (): number => (rows.at(-1)?.seq ?? -1) + 1

  const seed = (plants: Iterable<FixturePlant>): void => {
    for (const plant of plants) add(new Row(nextSeq(), plant, plant.access && [...new Set(plant.access)]))
  }

  return {
    create(caller, plant, onDuplicate) {
      if (plant.id !== undefined && onDuplicate !== 'accept') {
        const existing = own.get(caller)?.find(plant.id) ?? shared.find(plant.id)
        if (existing !== undefined) {
          return onDuplicate === 'conflict'
            ? { outcome: 'conflict', plant: existing }
            : { outcome: 'replaced', plant: replace(new Row(existing.seq, plant, existing.access)) }
        }
      }
      return { outcome: 'created', plant: add(new Row(nextSeq(), plant, shelfOf(caller).access)) }
    },

    list(caller, { limit, order }) {
      const mine = own.get(caller)?.rows ?? []
      return order === 'newest'
        ? mergeNewest(mine, shared.rows, limit)
        : mergeOldest(mine, shared.rows, limit)
    },

    knows: (caller) => own.has(caller),

    seed,

    all: () => [...rows],

    refill(plants) {
      clear()
      seed(plants)
    },

    find: (caller, id) => own.get(caller)?.find(id) ?? shared.find(id),

    snapshot() {
      const kept = [...rows]
      return () => {
        clear()
        for (const row of kept) add(row)
      }
    },
  }
}

/** Merges two runs that are each in order of `seq`, oldest first. */
const mergeOldest = (a: readonly Row[], b: readonly Row[], limit: number): readonly Row[] => {
  if (a.length === 0) return b.slice(0, limit)
  const result: Row[] = []
  for (let i = 0, j = 0; result.length < limit; ) {
    const left = a[i]
    const right = b[j]
    if (left !== undefined && (right === undefined || left.seq < right.seq)) {
      result.push(left)
      i++
    } else if (right !== undefined) {
      result.push(right)
      j++
    } else break
  }
  return result
}

/** The same from the other end, newest first. */
const mergeNewest = (a: readonly Row[], b: readonly Row[], limit: number): readonly Row[] => {
  const result: Row[] = []
  for (let i = a.length - 1, j = b.length - 1; result.length < limit; ) {
    const left = a[i]
    const right = b[j]
    if (left !== undefined && (right === undefined || left.seq > right.seq)) {
      result.push(left)
      i--
    } else if (right !== undefined) {
      result.push(right)
      j--
    } else break
  }
  return result
}

/** Binary search in rows that are in order of `seq`. */
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
