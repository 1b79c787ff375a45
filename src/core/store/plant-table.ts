import type { FixturePlant, PlantDraft } from '../contract/schemas.ts'
import { asFixture, type StoredPlant } from './plant-store.ts'

export type TableRow = StoredPlant & {
  /** Its place in the order of all plants, kept on replacement. */
  readonly seq: number
}

export const toRow = (
  seq: number,
  { id, name, tag }: PlantDraft | FixturePlant,
  access: TableRow['access'],
): TableRow => ({ seq, id, name, tag, access, json: undefined })

class Rows {
  readonly list: TableRow[] = []
  /** The place of each id in `list`. Made by the first search, because lists do not need it. */
  #ids: Map<number, number> | undefined

  add(row: TableRow): void {
    if (row.id !== undefined) this.#ids?.set(row.id, this.list.length)
    this.list.push(row)
  }

  /** The last row with this id. */
  find(id: number): TableRow | undefined {
    if (this.#ids === undefined) {
      this.#ids = new Map()
      for (const [index, row] of this.list.entries()) if (row.id !== undefined) this.#ids.set(row.id, index)
    }
    const index = this.#ids.get(id)
    return index === undefined ? undefined : this.list[index]
  }

  /** Replaces a row by one with the same place and id. */
  replace(row: TableRow): void {
    let index = 0
    for (let end = this.list.length; index + 1 < end; ) {
      const middle = (index + end) >>> 1
      if ((this.list[middle]?.seq ?? 0) > row.seq) end = middle
      else index = middle
    }
    this.list[index] = row
  }
}

/** Plants by caller, and by id. Stores share a table that is complete, and do not change it any more. */
export class PlantTable implements Iterable<FixturePlant> {
  readonly #all = new Rows()
  /** `undefined` stands for the plants that every caller may see. */
  readonly #byCaller = new Map<string | undefined, Rows>()
  readonly #accessLists = new Map<string, readonly string[]>()
  /** The place after all rows. */
  nextSeq: number

  constructor(firstSeq = 0) {
    this.nextSeq = firstSeq
  }

  get length(): number {
    return this.rows.length
  }

  get rows(): readonly TableRow[] {
    return this.#all.list
  }

  push(plant: FixturePlant | StoredPlant): void {
    this.add(toRow(this.nextSeq, plant, plant.access && this.sharedAccess(plant.access)))
  }

  /** Appends a row, whose place is after all others. */
  add(row: TableRow): void {
    this.nextSeq = row.seq + 1
    this.#all.add(row)
    for (const caller of row.access ?? everyCaller) {
      let rows = this.#byCaller.get(caller)
      if (rows === undefined) {
        rows = new Rows()
        this.#byCaller.set(caller, rows)
      }
      rows.add(row)
    }
  }

  /** Replaces a row by one with the same place, id and access. */
  replace(row: TableRow): void {
    this.#all.replace(row)
    for (const caller of row.access ?? everyCaller) this.#byCaller.get(caller)?.replace(row)
  }

  /** The callers that any `access` names. */
  get callers(): readonly string[] {
    return [...this.#byCaller.keys()].filter((caller) => caller !== undefined)
  }

  knows(caller: string): boolean {
    return this.#byCaller.has(caller)
  }

  /** The plants whose `access` names the caller; for `undefined`, those that every caller may see. */
  of(caller: string | undefined): readonly TableRow[] {
    return this.#byCaller.get(caller)?.list ?? none
  }

  /** The last of these plants with this id. */
  find(caller: string | undefined, id: number): TableRow | undefined {
    return this.#byCaller.get(caller)?.find(id)
  }

  findAnywhere(id: number): TableRow | undefined {
    return this.#all.find(id)
  }

  /** One array for all equal lists of callers, without repeated ones. */
  sharedAccess(access: readonly string[]): readonly string[] {
    // Tokens have no spaces (RFC 6750, 2.1).
    const key = access.length === 1 ? (access[0] as string) : access.join(' ')
    let list = this.#accessLists.get(key)
    if (list === undefined) {
      list = [...new Set(access)]
      this.#accessLists.set(key, list)
    }
    return list
  }

  toJSON(): readonly FixturePlant[] {
    return [...this]
  }

  *[Symbol.iterator](): Generator<FixturePlant> {
    for (const row of this.rows) yield asFixture(row)
  }
}

const everyCaller = [undefined]
const none: readonly TableRow[] = []

export const plantTable = (plants: Iterable<FixturePlant | StoredPlant>): PlantTable => {
  if (plants instanceof PlantTable) return plants
  const table = new PlantTable()
  for (const plant of plants) table.push(plant)
  return table
}

export const tableOfRows = (rows: Iterable<TableRow>, firstSeq?: number): PlantTable => {
  const table = new PlantTable(firstSeq)
  for (const row of rows) table.add(row)
  return table
}
