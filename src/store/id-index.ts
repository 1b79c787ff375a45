/** Slots to begin with: most callers have few plants. A power of two. */
const firstSlots = 16

/**
 * Where in a list the latest plant with an id stands. A hash table with open addressing in two typed arrays: with a
 * million ids, a Map takes three times the memory and most of the time that loading them takes.
 */
export class IdIndex {
  #ids = new Float64Array(firstSlots)
  /** The place of the id at the same index, plus one; 0 where the slot is free. */
  #places = new Uint32Array(firstSlots)
  #count = 0

  /** The place that was set last for this id; `undefined` when there is none. */
  get(id: number): number | undefined {
    const place = this.#places[this.#slotOf(id)] ?? 0
    return place === 0 ? undefined : place - 1
  }

  set(id: number, place: number): void {
    const slot = this.#slotOf(id)
    if (this.#places[slot] === 0) {
      this.#ids[slot] = id
      this.#count++
    }
    this.#places[slot] = place + 1
    // A table that is half full finds a free slot after one or two steps.
    if (this.#count * 2 > this.#places.length) this.#grow()
  }

  /**
   * The slot that holds the id, or the free one that is for it. Ids in a row have slots in a row, which is quick;
   * where these are taken, the upper bits of the id come in step by step, as in the tables of Python.
   */
  #slotOf(id: number): number {
    const mask = this.#places.length - 1
    let bits = (id ^ Math.imul(Math.trunc(id / 4_294_967_296), 0x9e3779b1)) >>> 0
    let slot = bits & mask
    while (this.#places[slot] !== 0 && this.#ids[slot] !== id) {
      bits >>>= 5
      slot = (slot * 5 + 1 + bits) & mask
    }
    return slot
  }

  #grow(): void {
    const [ids, places] = [this.#ids, this.#places]
    this.#ids = new Float64Array(ids.length * 2)
    this.#places = new Uint32Array(places.length * 2)
    for (let i = 0; i < places.length; i++) {
      const place = places[i] ?? 0
      const id = ids[i] ?? 0
      if (place === 0) continue
      const slot = this.#slotOf(id)
      this.#ids[slot] = id
      this.#places[slot] = place
    }
  }
}
