const whiteSpace = /[\t\n\r ]*/y
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const plainText = /[ !#-[\]-\uFFFF]*/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
const brokenSequence = /\\(?:u[\dA-Fa-f]{0,3})?/y

/** The position after a match at `at`; `at` itself without a match. */
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

/** The next part. A `first …` part may also be the closing bracket. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'end'

const positionOfError = (text: string): number | undefined => {
  /** The expected closing brackets. */
  const closing: string[] = []
  let expected: Expected = 'value'
  for (let at = after(whiteSpace, text, 0); ; at = after(whiteSpace, text, at)) {
    const character = text[at]
    if (character === undefined) return expected === 'end' && closing.length === 0 ? undefined : at
    const closer = closing.at(-1)
    if (expected === 'colon') {
      if (character !== ':') return at
      expected = 'value'
      at++
    } else if (expected !== 'value' && expected !== 'key' && character === closer) {
      closing.pop()
      expected = 'end'
      at++
    } else if (expected === 'end') {
      if (character !== ',' || closer === undefined) return at
      expected = closer === '}' ? 'key' : 'value'
      at++
    } else if (character === '"') {
      const { at: next, isClosed } = readString(text, at)
      if (!isClosed) return next
      expected = expected.endsWith('key') ? 'colon' : 'end'
      at = next
    } else if (expected.endsWith('key')) return at
    else if (character === '{' || character === '[') {
      closing.push(character === '{' ? '}' : ']')
      expected = character === '{' ? 'first key' : 'first value'
      at++
    } else {
      const next = after(literal, text, at)
      if (next === at) return at
      expected = 'end'
      at = next
    }
  }
}

/**
 * Says where a text stops being JSON, with line and column if it has several lines. Messages of V8 differ between
 * versions, and quote parts of the text; redaction would miss a partial token in them.
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
