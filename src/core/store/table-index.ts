import type { Caller } from '../contract/schemas.ts'
import type { Columns } from './columns.ts'
import { hashOf, nextSlot } from './id-hash.ts'

/** The number of the caller `undefined`, to whom the plants belong that every caller may see. */
const everyCaller = 0

/**
 * Finds the plants of a table by caller, and by caller and id.
 *
 * perf: a few arrays, whatever the number of plants and callers (large stores in `npm run bench`).
 */
export class TableIndex {
  readonly #columns: Columns
  /** From 1. */
  readonly #numbers = new Map<Caller, number>()
  /** The positions of each caller's plants, one caller after the other. */
  readonly #positions: Uint32Array
  /** By caller number: the start of its part of `#positions`, which ends where the next one starts. */
  readonly #starts: Uint32Array
  /**
   * A hash table by caller and id: an index of `#positions` plus 1; 0 marks a free slot. Made on the first search,
   * because lists do not need it.
   */
  #slots: Uint32Array | undefined

  constructor(columns: Columns) {
    this.#columns = columns
    const callersOf = columns.lists.map((list) => list?.map((caller) => this.#addCaller(caller)) ?? [everyCaller])
    this.#starts = startsOf(columns, callersOf, this.#numbers.size + 1)
    this.#positions = positionsOf(columns, callersOf, this.#starts)
  }

  /** Whether a plant's `access` names the caller. */
  has(caller: Caller): boolean {
    return this.#numbers.has(caller)
  }

  /** The positions of a caller's plants, ascending; `undefined` for those that every caller may see. */
  positions(caller: Caller | undefined): Uint32Array {
    const number = this.#numberOf(caller)
    return number === undefined ? none : this.#positions.subarray(this.#starts[number], this.#starts[number + 1])
  }

  /** The position of a caller's last plant with this id. */
  find(caller: Caller | undefined, id: number): number | undefined {
    const number = this.#numberOf(caller)
    if (number === undefined || this.#starts[number] === this.#starts[number + 1]) return undefined
    this.#slots ??= this.#hashIds()
    const entry = this.#slots[this.#slotOf(this.#slots, number, id)] ?? 0
    return entry === 0 ? undefined : this.#positions[entry - 1]
  }

  #numberOf(caller: Caller | undefined): number | undefined {
    return caller === undefined ? everyCaller : this.#numbers.get(caller)
  }

  #addCaller(caller: Caller): number {
    const number = this.#numbers.get(caller) ?? this.#numbers.size + 1
    this.#numbers.set(caller, number)
    return number
  }

  /** A later plant with the same id takes the slot of an earlier one. */
  #hashIds(): Uint32Array {
    const slots = new Uint32Array(capacityFor(this.#positions.length))
    for (let number = 0; number <= this.#numbers.size; number++) {
      const end = this.#starts[number + 1] ?? 0
      for (let index = this.#starts[number] ?? 0; index < end; index++) {
        const id = this.#columns.id(this.#positions[index] ?? 0)
        if (!Number.isNaN(id)) slots[this.#slotOf(slots, number, id)] = index + 1
      }
    }
    return slots
  }

  /** The slot of a caller's plant with this id, or the free slot where it belongs. */
  #slotOf(slots: Uint32Array, number: number, id: number): number {
    const mask = slots.length - 1
    let bits = (hashOf(id) + Math.imul(number, 0x9e3779b1)) >>> 0
    let slot = bits & mask
    while (!this.#isFreeOrHolds(slots[slot] ?? 0, number, id)) {
      bits >>>= 5
      slot = nextSlot(slot, bits, mask)
    }
    return slot
  }

  #isFreeOrHolds(entry: number, number: number, id: number): boolean {
    if (entry === 0) return true
    const index = entry - 1
    const isOfCaller = index >= (this.#starts[number] ?? 0) && index < (this.#starts[number + 1] ?? 0)
    return isOfCaller && this.#columns.id(this.#positions[index] ?? 0) === id
  }
}

const none = new Uint32Array()

/** Adds to an element, and returns its former value. */
const add = (counts: Uint32Array, index: number, summand: number): number => {
  const before = counts[index] ?? 0
  counts[index] = before + summand
  return before
}

/** By caller number: how many plants the callers before it have. */
const startsOf = (columns: Columns, callersOf: readonly (readonly number[])[], callers: number): Uint32Array => {
  const byList = new Uint32Array(callersOf.length)
  for (let position = 0; position < columns.length; position++) add(byList, columns.list(position), 1)
  const starts = new Uint32Array(callers + 1)
  for (const [list, numbers] of callersOf.entries())
    for (const number of numbers) add(starts, number + 1, byList[list] ?? 0)
  for (let number = 1; number < starts.length; number++) add(starts, number, starts[number - 1] ?? 0)
  return starts
}

const positionsOf = (columns: Columns, callersOf: readonly (readonly number[])[], starts: Uint32Array): Uint32Array => {
  const ends = starts.slice()
  const positions = new Uint32Array(starts.at(-1) ?? 0)
  for (let position = 0; position < columns.length; position++)
    for (const number of callersOf[columns.list(position)] ?? []) positions[add(ends, number, 1)] = position
  return positions
}

/** A power of two with a load factor of at most 3/4. */
const capacityFor = (entries: number): number => 2 ** Math.ceil(Math.log2((entries * 4) / 3 + 1))
