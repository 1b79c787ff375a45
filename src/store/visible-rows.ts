import type { Caller } from '../contract/schemas.ts'
import { IdIndex } from './id-index.ts'
import type { PlantTable } from './plant-table.ts'

/**
 * The sequence numbers of the plants that one caller, or every caller, may see, ascending: those of a table, then those
 * that were added.
 */
export class VisibleRows {
  // perf: one array shared by all plants that a caller creates (large stores in `npm run bench`).
  readonly access: readonly Caller[] | undefined
  readonly #inTable: Uint32Array
  readonly #added: number[] = []
  /** Of the added plants. Most callers add none. */
  #ids: IdIndex | undefined

  constructor(table: PlantTable, caller?: Caller) {
    this.access = caller === undefined ? undefined : [caller]
    this.#inTable = table.index.positions(caller)
  }

  get length(): number {
    return this.#inTable.length + this.#added.length
  }

  /** The sequence number at an index; `undefined` outside of the list. */
  at(index: number): number | undefined {
    const { length } = this.#inTable
    // perf: V8 looks up indices out of bounds slowly (`npm run bench`, GET).
    if (index < 0 || index >= this.length) return undefined
    return index < length ? this.#inTable[index] : this.#added[index - length]
  }

  add(seq: number, id: number | undefined): void {
    this.#added.push(seq)
    if (id === undefined) return
    this.#ids ??= new IdIndex()
    this.#ids.set(id, seq)
  }

  /** The last added plant with this id. */
  findAdded(id: number): number | undefined {
    return this.#ids?.get(id)
  }
}
