/** The hash of an id in 32 bits. Consecutive ids have consecutive hashes. */
export const hashOf = (id: number): number => (id ^ Math.imul(Math.trunc(id / 4_294_967_296), 0x9e3779b1)) >>> 0

/**
 * The next slot to probe after a collision, in a hash table with open addressing.
 * @param bits The hash, shifted by 5 more bits to the right on each step: as in CPython's dict, the upper bits join the
 * sequence.
 * @param mask The size of the table, a power of two, minus 1.
 */
export const nextSlot = (slot: number, bits: number, mask: number): number => (slot * 5 + 1 + bits) & mask
