import leven from 'leven'
import { isError } from './errors.ts'

export const plural = (count: number, noun: string): string => `${count} ${count === 1 ? noun : `${noun}s`}`

/** Suggests a known word that differs in up to a third of its letters. Two swapped letters count as one difference. */
export const suggestion = (word: string, known: readonly string[], prefix = ''): string => {
  const given = word.toLowerCase()
  const maxDistance = Math.min(Math.max(1, Math.floor(word.length / 3)), word.length - 1)
  const [closest] = known
    .map((name) => ({ name, distance: distanceOf(given, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
  return closest === undefined ? '' : ` Did you mean "${prefix}${closest.name}"?`
}

const distanceOf = (a: string, b: string): number => (isSwap(a, b) ? 1 : leven(a, b))

const isSwap = (a: string, b: string): boolean => {
  const at = [...a].findIndex((letter, index) => letter !== b[index])
  return a !== b && at !== -1 && a.slice(0, at) + a[at + 1] + a[at] + a.slice(at + 2) === b
}

export const messageOf = (error: unknown): string => {
  try {
    return isError(error) ? error.message : String(error)
  } catch {
    return 'an error without a message'
  }
}
