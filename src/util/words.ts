import { closestMatch } from 'leven'
import { isError } from './is-error.ts'

// In a file of its own, for entry points without leven.
export { shorten } from './shorten.ts'

/** `1 plant`, `24 plants`. */
export const plural = (count: number, noun: string): string => `${count} ${count === 1 ? noun : `${noun}s`}`

/** ` Did you mean "limit"?` for a known word that differs in up to a third of its letters; empty when none is close. */
export const suggestion = (word: string, known: readonly string[]): string => {
  const closest = closestMatch(word, known, { maxDistance: Math.max(2, Math.floor(word.length / 3)) })
  return closest === undefined ? '' : ` Did you mean "${closest}"?`
}

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => (isError(error) ? error.message : String(error))
