/** A power of two: most callers create few plants. */
const initialCapacity = 16

/**
 * Maps an id to the index of a plant: a hash table with open addressing in two typed arrays.
 *
 * perf: a `Map` grows more slowly, and the garbage collector visits its entries (`npm run bench`, POST).
 */
export class IdIndex {
  #ids = new Float64Array(initialCapacity)
  /** Index + 1 of the id in the same slot; 0 marks a free slot. */
  #indices = new Uint32Array(initialCapacity)
  #size = 0

  get(id: number): number | undefined {
    const index = this.#indices[this.#slotOf(id)] ?? 0
    return index === 0 ? undefined : index - 1
  }

  set(id: number, index: number): void {
    const slot = this.#slotOf(id)
    if (this.#indices[slot] === 0) {
      this.#ids[slot] = id
      this.#size++
    }
    this.#indices[slot] = index + 1
    // A load factor of at most 1/2 keeps probe sequences at one or two steps.
    if (this.#size * 2 > this.#indices.length) this.#grow()
  }

  /** The slot that holds the id, or the free slot where it belongs. */
  #slotOf(id: number): number {
    const mask = this.#indices.length - 1
    let bits = hashOf(id)
    let slot = bits & mask
    while (this.#indices[slot] !== 0 && this.#ids[slot] !== id) {
      // As in CPython's dict, the upper bits join the probe sequence.
      bits >>>= 5
      slot = (slot * 5 + 1 + bits) & mask
    }
    return slot
  }

  #grow(): void {
    const [ids, indices] = [this.#ids, this.#indices]
    this.#ids = new Float64Array(ids.length * 2)
    this.#indices = new Uint32Array(indices.length * 2)
    this.#size = 0
    for (let i = 0; i < ids.length; i++) {
      const index = indices[i] ?? 0
      if (index > 0) this.set(ids[i] ?? 0, index - 1)
    }
  }
}

/** The hash of an id in 32 bits. Consecutive ids have consecutive hashes. */
const hashOf = (id: number): number => (id ^ Math.imul(Math.trunc(id / 4_294_967_296), 0x9e3779b1)) >>> 0
