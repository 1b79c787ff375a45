import { hashOf, nextSlot } from './id-hash.ts'

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
