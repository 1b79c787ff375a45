/**
 * Probing of a hash table with open addressing, whose size is a power of two. Consecutive ids have consecutive slots; on
 * collision, the upper bits of the hash join the sequence, as in CPython's dict.
 */

/** The hash of an id. */
export const hashOf = (id: number): number => (id ^ Math.imul(Math.trunc(id / 4_294_967_296), 0x9e3779b1)) >>> 0

/**
 * Follows the probe sequence of a hash up to a slot that `isEnd` accepts: the slot of the key, or a free one.
 * @param mask The size of the table minus 1.
 */
export const probe = (hash: number, mask: number, isEnd: (slot: number) => boolean): number => {
  let bits = hash
  let slot = bits & mask
  while (!isEnd(slot)) {
    bits >>>= 5
    slot = (slot * 5 + 1 + bits) & mask
  }
  return slot
}
