/** Most callers have few plants. A power of two. */
const initialCapacity = 16

/**
 * Maps an id to its last position in a list: a hash table with open addressing in two typed arrays.
 *
 * perf: for a million ids, a `Map` takes three times the memory and most of the loading time (large stores in `npm run bench`).
 */
export class IdIndex {
  #ids = new Float64Array(initialCapacity)
  /** Position + 1 of the id in the same slot; 0 marks a free slot. */
  #positions = new Uint32Array(initialCapacity)
  #size = 0

  get(id: number): number | undefined {
    const position = this.#positions[this.#slotOf(id)] ?? 0
    return position === 0 ? undefined : position - 1
  }

  set(id: number, position: number): void {
    const slot = this.#slotOf(id)
    if (this.#positions[slot] === 0) {
      this.#ids[slot] = id
      this.#size++
    }
    this.#positions[slot] = position + 1
    // A load factor of at most 1/2 keeps probe sequences at one or two steps.
    if (this.#size * 2 > this.#positions.length) this.#grow()
  }

  /**
   * The slot that holds the id, or the free slot where it belongs. Consecutive ids hash to consecutive slots; on
   * collision, the probe sequence mixes in the upper bits of the id, as CPython's dict does.
   */
  #slotOf(id: number): number {
    const mask = this.#positions.length - 1
    let bits = (id ^ Math.imul(Math.trunc(id / 4_294_967_296), 0x9e3779b1)) >>> 0
    let slot = bits & mask
    while (this.#positions[slot] !== 0 && this.#ids[slot] !== id) {
      bits >>>= 5
      slot = (slot * 5 + 1 + bits) & mask
    }
    return slot
  }

  #grow(): void {
    const [ids, positions] = [this.#ids, this.#positions]
    this.#ids = new Float64Array(ids.length * 2)
    this.#positions = new Uint32Array(positions.length * 2)
    this.#size = 0
    for (let i = 0; i < ids.length; i++) {
      const position = positions[i] ?? 0
      if (position > 0) this.set(ids[i] ?? 0, position - 1)
    }
  }
}
