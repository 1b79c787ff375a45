import { type ParsedJson, parseJson } from './json.ts'

/** Matches integers that a double may round. Matches strings first, because digits inside a string must not change. */
const literals = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,20}(?![\d.eE])/gs

/** Like `parseJson`, but with large ids as bigints. Marks integers: revivers in Node.js 20 see only rounded numbers. */
export const parseExactJson = (text: string): ParsedJson => {
  const parsed = parseJson(text)
  // perf: parses a second time only if the text has a long integer (`npm run bench`, POST).
  if ('error' in parsed || !hasDigits(text, 16)) return parsed
  try {
    const mark = markOutside(JSON.stringify(parsed.value))
    const marked = text.replace(literals, (literal) => (literal.startsWith('"') ? literal : `"${mark}${literal}"`))
    const revive = (key: string, value: unknown): unknown => {
      if (typeof value !== 'string' || !value.startsWith(mark)) return value
      const digits = value.slice(mark.length)
      return key === 'id' && !Number.isSafeInteger(Number(digits)) ? BigInt(digits) : Number(digits)
    }
    return { value: JSON.parse(marked, revive) as unknown }
  } catch {
    // Keeps rounded integers if deep nesting overflows the stack of the recursive reviver.
    return parsed
  }
}

/** perf: reads one of `count` characters; a regular expression would cost 1 % of a POST (`npm run bench`). */
const hasDigits = (text: string, count: number): boolean => {
  for (let end = count - 1; end < text.length; ) {
    let at = end
    while (at > end - count && isDigit(text.charCodeAt(at))) at--
    if (at === end - count) return true
    end = at + count
  }
  return false
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

export const exactJsonOrUndefined = (text: string): unknown => {
  const parsed = parseExactJson(text)
  return 'value' in parsed ? parsed.value : undefined
}

/** Like `JSON.stringify`, but writes a bigint `id` as an integer. @throws TypeError for any other bigint. */
export const exactJson = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    const isLarge = (key: string, one: unknown): boolean => key === 'id' && typeof one === 'bigint'
    const mark = markOutside(JSON.stringify(value, (key, one: unknown) => (isLarge(key, one) ? 0 : one)))
    const marked = JSON.stringify(value, (key, one: unknown) => (isLarge(key, one) ? `${mark}${one}` : one))
    return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
  }
}

/** Returns a mark that does not occur in `json`, and that `JSON.stringify` writes without escapes. */
const markOutside = (json: string): string => {
  let number = 0
  while (json.includes(`integer ${number} `)) number++
  return `integer ${number} `
}
