const size = 624
const shift = 397

/**
 * A seeded source of numbers from 0 (inclusive) to 1 (exclusive) with 53 random bits, by the algorithm MT19937 of
 * Matsumoto and Nishimura (1998). Generated plants are drawn from it, and the shipped fixtures were.
 */
export const mersenneTwister = (seed: number): (() => number) => {
  const words = initialWords(seed)
  let position = size
  const next32 = (): number => {
    if (position === size) {
      regenerate(words)
      position = 0
    }
    return temper(words[position++] as number)
  }
  return () => {
    const high = next32() >>> 5
    const low = next32() >>> 6
    return (high * 2 ** 26 + low) / 2 ** 53
  }
}

const initialWords = (seed: number): Uint32Array => {
  const words = new Uint32Array(size)
  words[0] = seed
  for (let i = 1; i < size; i++) {
    const previous = words[i - 1] as number
    words[i] = Math.imul(1_812_433_253, previous ^ (previous >>> 30)) + i
  }
  return words
}

/** Replaces all words by the recurrence of the algorithm. */
const regenerate = (words: Uint32Array): void => {
  const at = (i: number): number => words[i % size] as number
  for (let i = 0; i < size; i++) {
    const joined = (at(i) & 0x8000_0000) | (at(i + 1) & 0x7fff_ffff)
    words[i] = at(i + shift) ^ (joined >>> 1) ^ (joined & 1 ? 0x9908_b0df : 0)
  }
}

const temper = (word: number): number => {
  let value = word
  value ^= value >>> 11
  value ^= (value << 7) & 0x9d2c_5680
  value ^= (value << 15) & 0xefc6_0000
  return value ^ (value >>> 18)
}
