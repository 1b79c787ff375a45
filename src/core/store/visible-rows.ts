import type { Caller } from '../contract/schemas.ts'
import { hashOf, nextSlot } from './id-hash.ts'
import type { PlantTable } from './plant-table.ts'

/**
 * The sequence numbers of the plants that one caller, or every caller, may see, ascending: those of a table, then those
 * that were added.
 */
export class VisibleRows {
  // perf: one array shared by all plants that a caller creates (large stores in `npm run bench`).
  readonly access: readonly Caller[] | undefined
  /** Those of the table; after a change, all that there were then. */
  #first: Uint32Array
  #added: number[] = []
  /** Of the added plants; after a change, of all. Most callers add none. */
  #ids: IdIndex | undefined
  /** Set by a change: reads the id of a plant, for `#ids`, which the next search makes. */
  #idOf: ((seq: number) => number | undefined) | undefined

  constructor(table: PlantTable, caller?: Caller) {
    this.access = caller === undefined ? undefined : [caller]
    this.#first = table.index.positions(caller)
  }

  get length(): number {
    return this.#first.length + this.#added.length
  }

  /** Whether the plants of the table are not, or not all, in the list: the index of the table does not hold for it. */
  get isChanged(): boolean {
    return this.#idOf !== undefined
  }

  /** The sequence number at an index; `undefined` outside of the list. */
  at(index: number): number | undefined {
    const { length } = this.#first
    // perf: V8 looks up indices out of bounds slowly (`npm run bench`, GET).
    if (index < 0 || index >= this.length) return undefined
    return index < length ? this.#first[index] : this.#added[index - length]
  }

  add(seq: number, id: number | undefined): void {
    this.#added.push(seq)
    if (id === undefined) return
    // perf: no more work than without changes (`npm run bench`, POST).
    if (this.#ids !== undefined) this.#ids.set(id, seq)
    else if (this.#idOf === undefined) {
      this.#ids = new IdIndex()
      this.#ids.set(id, seq)
    }
  }

  /**
   * Removes and inserts plants.
   * @param gone Sequence numbers that the list has.
   * @param come Sequence numbers that it does not have.
   */
  change(gone: ReadonlySet<number>, come: readonly number[], idOf: (seq: number) => number | undefined): void {
    const seqs = new Uint32Array(this.length - gone.size + come.length)
    let length = 0
    for (let index = 0; index < this.length; index++) {
      const seq = this.at(index) ?? 0
      if (!gone.has(seq)) seqs[length++] = seq
    }
    seqs.set(come, length)
    this.#first = come.length === 0 ? seqs : seqs.sort()
    this.#added = []
    this.#ids = undefined
    this.#idOf = idOf
  }

  /** The last added plant with this id; after a change, the last plant with it. */
  find(id: number): number | undefined {
    if (this.#ids === undefined && this.#idOf !== undefined) this.#ids = this.#indexAll(this.#idOf)
    return this.#ids?.get(id)
  }

  #indexAll(idOf: (seq: number) => number | undefined): IdIndex {
    const ids = new IdIndex()
    for (let index = 0; index < this.length; index++) {
      const seq = this.at(index) ?? 0
      const id = idOf(seq)
      if (id !== undefined) ids.set(id, seq)
    }
    return ids
  }
}

/** Most callers create few plants. A power of two. */
const initialCapacity = 16

/**
 * Maps an id to a sequence number: a hash table with open addressing in two typed arrays.
 *
 * perf: for a million ids, a `Map` takes three times the memory (`npm run bench`, POST).
 */
export class IdIndex {
  #ids = new Float64Array(initialCapacity)
  /** Sequence number + 1 of the id in the same slot; 0 marks a free slot. */
  #seqs = new Uint32Array(initialCapacity)
  #size = 0

  get(id: number): number | undefined {
    const seq = this.#seqs[this.#slotOf(id)] ?? 0
    return seq === 0 ? undefined : seq - 1
  }

  set(id: number, seq: number): void {
    const slot = this.#slotOf(id)
    if (this.#seqs[slot] === 0) {
      this.#ids[slot] = id
      this.#size++
    }
    this.#seqs[slot] = seq + 1
    // A load factor of at most 1/2 keeps probe sequences at one or two steps.
    if (this.#size * 2 > this.#seqs.length) this.#grow()
  }

  /** The slot that holds the id, or the free slot where it belongs. */
  #slotOf(id: number): number {
    const mask = this.#seqs.length - 1
    let bits = hashOf(id)
    let slot = bits & mask
    while (this.#seqs[slot] !== 0 && this.#ids[slot] !== id) {
      bits >>>= 5
      slot = nextSlot(slot, bits, mask)
    }
    return slot
  }

  #grow(): void {
    const [ids, seqs] = [this.#ids, this.#seqs]
    this.#ids = new Float64Array(ids.length * 2)
    this.#seqs = new Uint32Array(seqs.length * 2)
    this.#size = 0
    for (let i = 0; i < ids.length; i++) {
      const seq = seqs[i] ?? 0
      if (seq > 0) this.set(ids[i] ?? 0, seq - 1)
    }
  }
}
