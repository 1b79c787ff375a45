export { shorten } from './shorten.ts'

/** `1 plant`, `24 plants`. */
export const plural = (count: number, noun: string): string => `${count} ${count === 1 ? noun : `${noun}s`}`

/**
 * ` Did you mean "limit"?` for a known word that is close: it differs in case alone, or by up to a third of the letters, at
 * least one; two letters that are swapped count as one. Empty when none is.
 * @param prefix Stands before the word in the text, such as `--`.
 */
export const suggestion = (word: string, known: readonly string[], prefix = ''): string => {
  const given = word.toLowerCase()
  const maxDistance = Math.min(Math.max(1, Math.floor(word.length / 3)), word.length - 1)
  const [closest] = known
    .map((name) => ({ name, distance: distanceOf(given, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
  return closest === undefined ? '' : ` Did you mean "${prefix}${closest.name}"?`
}

/** How many letters were left out, added, replaced, or swapped with their neighbour (optimal string alignment). */
const distanceOf = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= b.length; column++) {
      const isReplaced = a[row - 1] !== b[column - 1]
      const isSwapped = isReplaced && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + Number(isReplaced),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
