import { PlantMockError } from './errors.ts'
import { messageOf } from './words.ts'

export type ParsedJson = { readonly value: unknown } | { readonly error: string }

export const parseJson = (text: string): ParsedJson => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { error: jsonError(text) ?? messageOf(error) }
  }
}

export const jsonOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {})

export const inOrderOf = (earlier: unknown, value: unknown): unknown => {
  if (!isJsonObject(value) || !isJsonObject(earlier)) return value
  const names = new Set([...Object.keys(earlier).filter((name) => Object.hasOwn(value, name)), ...Object.keys(value)])
  return Object.fromEntries([...names].map((name) => [name, inOrderOf(earlier[name], value[name])]))
}

const maxJsonDepth = 500

/** Detects nesting on which recursive code such as `JSON.stringify` overflows the stack, unlike `JSON.parse`. */
export const isNestedTooDeep = (json: string, maxDepth = maxJsonDepth): boolean => {
  if (json.length <= 2 * maxDepth) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (character === '"') at = endOfString(json, at)
    else if (character === '[' || character === '{') {
      if (++depth > maxDepth) return true
    } else if (character === ']' || character === '}') depth--
  }
  return false
}

const endOfString = (json: string, start: number): number => {
  // perf: `indexOf` is faster than a loop over all characters (`verify --learn` with 100,000 plants).
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return json.length
}

export const objectIn = (body: unknown, hint: string): Readonly<Record<string, unknown>> => {
  if (!isJsonObject(body)) throw new PlantMockError(hint)
  return body
}

export const checkMembers = (body: Readonly<Record<string, unknown>>, names: readonly string[], hint: string): void => {
  const unknown = Object.keys(body).some((name) => !names.includes(name))
  if (unknown) throw new PlantMockError(`${hint} Members are ${names.join(', ')}.`)
}

export const memberIn = <T>(body: unknown, name: string, isValid: (value: unknown) => boolean, hint: string): T => {
  const value = objectIn(body, hint)[name]
  if (!isValid(value)) throw new PlantMockError(hint)
  return value as T
}

const whiteSpace = /[\t\n\r ]*/y
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const plainText = /[ !#-[\]-\uFFFF]*/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
const brokenSequence = /\\(?:u[\dA-Fa-f]{0,3})?/y

const after = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

const readString = (text: string, start: number): { readonly at: number; readonly isClosed: boolean } => {
  let at = after(plainText, text, start + 1)
  for (let next = after(escapeSequence, text, at); next !== at; next = after(escapeSequence, text, at))
    at = after(plainText, text, next)
  return text[at] === '"' ? { at: at + 1, isClosed: true } : { at: after(brokenSequence, text, at), isClosed: false }
}

type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'end'

const positionOfError = (text: string): number | undefined => {
  const closing: string[] = []
  let expected: Expected = 'value'
  let at = after(whiteSpace, text, 0)
  for (; at < text.length; at = after(whiteSpace, text, at)) {
    const start = at
    const character = text[at++]
    const closer = closing.at(-1)
    const isKey: boolean = expected === 'key' || expected === 'first key'
    if (character === closer && (expected.startsWith('first') || expected === 'end')) {
      closing.pop()
      expected = 'end'
    } else if (expected === 'colon' || expected === 'end') {
      if (character !== (expected === 'colon' ? ':' : closer && ',')) return start
      expected = expected === 'end' && closer === '}' ? 'key' : 'value'
    } else if (character === '"') {
      const { at: next, isClosed } = readString(text, start)
      if (!isClosed) return next
      expected = isKey ? 'colon' : 'end'
      at = next
    } else if (!isKey && (character === '{' || character === '[')) {
      closing.push(character === '{' ? '}' : ']')
      expected = character === '{' ? 'first key' : 'first value'
    } else {
      at = isKey ? start : after(literal, text, start)
      if (at === start) return start
      expected = 'end'
    }
  }
  return expected === 'end' && closing.length === 0 ? undefined : at
}

/**
 * Replaces the message of V8, which differs between versions and may quote a part of a secret.
 * @returns A clause without a full stop; `undefined` for valid JSON.
 */
export const jsonError = (text: string): string | undefined => {
  const position = positionOfError(text)
  if (position === undefined) return undefined
  const found = text.codePointAt(position)
  const lines = text.slice(0, position).split('\n')
  const column = `column ${(lines.at(-1) ?? '').length + 1}`
  const place = text.includes('\n') ? `line ${lines.length}, ${column}` : column
  return `unexpected ${found === undefined ? 'end' : JSON.stringify(String.fromCodePoint(found))} at ${place}`
}
