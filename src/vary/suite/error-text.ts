import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { escapeRegExp, shorten } from '../../util/text.ts'

const maxLength = 4_000
/** Bounds the input of `stripVTControlCharacters`, which takes quadratic time in the length of the text. */
const maxStyledLength = 8_000

export const errorMessage = (error: unknown): string => {
  const plain = stripVTControlCharacters(messageIn(error).trimStart().slice(0, maxStyledLength)).trim()
  return shorten(plain, maxLength)
}

/** Avoids `instanceof Error`, which is false for Jest's errors from another realm. */
const messageIn = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return String(error)
  const { message, stack, name } = error as { message?: unknown; stack?: unknown; name?: unknown }
  for (const text of [message, stack, name]) if (typeof text === 'string' && text.trim() !== '') return text
  return Object.prototype.toString.call(error)
}

export const lineInFile = (error: unknown, file: string): number | undefined => {
  const stack = typeof error === 'object' && error !== null && (error as { stack?: unknown }).stack
  if (typeof stack !== 'string') return undefined
  // Includes the relative path, because Mocha makes paths in stacks relative to the working directory.
  const places = [file, pathToFileURL(file).href, relative(process.cwd(), file)].map(escapeRegExp)
  const digits = new RegExp(`(?:^|[^\\w./\\\\-])(?:${places.join('|')}):(\\d+)`).exec(stack)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
