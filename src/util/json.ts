import { PlantMockError } from './errors.ts'
import { jsonError } from './json-error.ts'
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

/** True for a JSON object: neither null nor an array. */
export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {})

/** The value, with the members of each object in the order of the earlier value, followed by new members. */
export const inOrderOf = (earlier: unknown, value: unknown): unknown => {
  if (!isJsonObject(value) || !isJsonObject(earlier)) return value
  const names = new Set([...Object.keys(earlier).filter((name) => Object.hasOwn(value, name)), ...Object.keys(value)])
  return Object.fromEntries([...names].map((name) => [name, inOrderOf(earlier[name], value[name])]))
}

/** A limit beyond any real document, but safe for recursive code. */
const maxJsonDepth = 500

/** `JSON.parse` accepts deep nesting, but `JSON.stringify` and other recursive code then overflow the stack. */
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
  // perf: `indexOf`, for lists of a large store (`verify --learn` with 100,000 plants).
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

/** @throws PlantMockError for an unknown member, which would have no effect. */
export const checkMembers = (body: Readonly<Record<string, unknown>>, names: readonly string[], hint: string): void => {
  const unknown = Object.keys(body).some((name) => !names.includes(name))
  if (unknown) throw new PlantMockError(`${hint} Members are ${names.join(', ')}.`)
}

export const memberIn = <T>(body: unknown, name: string, isValid: (value: unknown) => boolean, hint: string): T => {
  const value = objectIn(body, hint)[name]
  if (!isValid(value)) throw new PlantMockError(hint)
  return value as T
}
