import { PlantMockError } from './errors.ts'

export type ParsedJson = { readonly value: unknown } | { readonly error: string }

/** The value, or the message of the parser without a full stop, with the line where the text has several lines. */
export const parseJson = (text: string): ParsedJson => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    const { message } = error as SyntaxError
    return { error: withLine(text, message) }
  }
}

export const jsonOrUndefined = (text: string): unknown => {
  const parsed = parseJson(text)
  return 'value' in parsed ? parsed.value : undefined
}

/** True for a JSON object: neither null nor an array. */
export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** V8 gives a position, newer versions a line too; or an excerpt, which it may cut. */
const withLine = (text: string, message: string): string => {
  const [, what, before, excerpt = '', after] = cutExcerpt.exec(message) ?? []
  const isCut = before !== undefined || after !== undefined
  const start = isCut ? text.indexOf(excerpt) : -1
  const position = isCut
    ? start + (before === undefined ? excerpt.length - excerptRadius : excerptRadius)
    : /at position (\d+)(?!.*line)/.exec(message)?.[1]
  const isKnown = isCut ? start !== -1 && !text.includes(excerpt, start + 1) : position !== undefined
  const suffix = isKnown && text.includes('\n') ? ` (line ${text.slice(0, Number(position)).split('\n').length})` : ''
  // Redaction would not find a token of which the excerpt has a part.
  return `${isCut ? `${what} in JSON` : message}${suffix}`
}

const cutExcerpt = /^(.*?), (\.{3})?"(.*)"(\.{3})? is not valid JSON$/s

/** How many characters V8 shows on each side of an error. */
const excerptRadius = 10

/** Deeper nesting than any document needs; recursive code does not exhaust the stack at this depth. */
const maxJsonDepth = 500

/** `JSON.parse` reads such text, but `JSON.stringify` and other recursive code overflow the stack on the result. */
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
  // perf: lists of a large store (`verify --learn` with 100,000 plants).
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

/** @throws PlantMockError for a member with another name, which would have no effect. */
export const checkMembers = (body: Readonly<Record<string, unknown>>, names: readonly string[], hint: string): void => {
  const unknown = Object.keys(body).some((name) => !names.includes(name))
  if (unknown) throw new PlantMockError(`${hint} Members are ${names.join(', ')}.`)
}

export const memberIn = <T>(body: unknown, name: string, isValid: (value: unknown) => boolean, hint: string): T => {
  const value = objectIn(body, hint)[name]
  if (!isValid(value)) throw new PlantMockError(hint)
  return value as T
}
