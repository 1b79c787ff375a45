import type { FixturePlant } from '../contract/schemas.ts'
import { Columns } from './columns.ts'
import { asFixture, type StoredPlant } from './plant-store.ts'
import type { TableRow } from './row.ts'
import { TableIndex } from './table-index.ts'

/** The largest number of rows that a table keeps as objects. */
const maxRecentRows = 1_024

/**
 * Immutable plants, which any number of stores share.
 *
 * perf: plants are columns, and become objects when they are read; a million objects take three times the memory, and
 * the garbage collector visits all of them (large stores in `npm run bench`).
 */
export class PlantTable implements Iterable<FixturePlant> {
  readonly length: number
  readonly index: TableIndex
  readonly #columns: Columns
  /** Rows that were read lately, by position modulo size. A row is one object while it stays here. */
  readonly #recent: (TableRow | undefined)[]

  constructor(columns: Columns) {
    this.length = columns.length
    this.index = new TableIndex(columns)
    this.#columns = columns
    this.#recent = new Array(Math.min(maxRecentRows, columns.length)).fill(undefined)
  }

  /** The row at a position below the length, which is also its sequence number. */
  row(position: number): TableRow {
    const slot = position % maxRecentRows
    let row = this.#recent[slot]
    if (row?.seq !== position) {
      row = this.#columns.row(position)
      this.#recent[slot] = row
    }
    return row
  }

  /** The id of the plant at a position. */
  id(position: number): number | undefined {
    const id = this.#columns.id(position)
    return Number.isNaN(id) ? undefined : id
  }

  *rows(): Generator<TableRow> {
    for (let position = 0; position < this.length; position++) yield this.row(position)
  }

  toJSON(): readonly FixturePlant[] {
    return [...this]
  }

  *[Symbol.iterator](): Generator<FixturePlant> {
    for (const row of this.rows()) yield asFixture(row)
  }
}

/** Makes a table of plants. */
export const plantTable = (plants: Iterable<FixturePlant | StoredPlant>): PlantTable => {
  const columns = new Columns()
  for (const plant of plants) columns.push(plant)
  return new PlantTable(columns)
}
