import type { Replacement } from '../../util/decoded-text.ts'

/**
 * Finds a secret in a text for a reader who knows only its digest: the positions where a checksum of 16 bits matches are
 * few enough to compare digests there, and 16 bits tell too little to guess the secret.
 */
export type SecretMark = { readonly key: string; readonly length: number; readonly checksum: number }

const base = 257
const modulus = 65_521

export const markOf = (secret: string, key: string): SecretMark => ({
  key,
  length: secret.length,
  // In code units, like its reader.
  checksum: secret
    .replaceAll(' ', '+')
    .split('')
    .reduce((sum, unit) => (sum * base + unit.charCodeAt(0)) % modulus, 0),
})

/**
 * The places of a marked secret; a form may have decoded its `+` as a space.
 * @param keyOf The digest of a text.
 * @throws RangeError for a text that matches the checksum too often: it was made to have many digests computed.
 */
export function* marked(
  text: string,
  { key, length, checksum }: SecretMark,
  keyOf: (text: string) => string,
  by: string,
): Generator<Replacement> {
  const joined = text.replaceAll(' ', '+')
  let highest = 1
  for (let count = 1; count < length; count++) highest = (highest * base) % modulus
  let sum = 0
  let from = 0
  let collisions = 0
  for (let end = 1; end <= joined.length; end++) {
    const start = end - length
    // The checksum rolls (Rabin-Karp): the character before `start` leaves, and the last one joins.
    if (start > from) sum = (sum + (modulus - (joined.charCodeAt(start - 1) % modulus)) * highest) % modulus
    sum = (sum * base + joined.charCodeAt(end - 1)) % modulus
    if (start < from || sum !== checksum) continue
    if (keyOf(joined.slice(start, end)) === key) {
      yield { start, end, by }
      sum = 0
      from = end
    } else if (++collisions > maxCollisions) throw new RangeError('The checksum of a secret matches too often.')
  }
}

/** By chance, a text of a million characters has 15. */
const maxCollisions = 200
