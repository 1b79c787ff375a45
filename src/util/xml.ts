/** A part of an XML document. Comments, processing instructions and the document type leave none. */
export type XmlToken =
  | { readonly type: 'open'; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly type: 'close'; readonly name: string }
  | { readonly type: 'text'; readonly text: string }

/**
 * Splits the XML of reports into tokens, in one pass that never returns to an earlier character. Declared entities are not
 * expanded, because a small document could grow without bound.
 * @throws SyntaxError for malformed markup, with its line; whether the tags match is for the caller to check.
 */
export function* xmlTokens(source: string): Generator<XmlToken, void> {
  const fail = (reason: string, at: number): never => {
    throw new SyntaxError(`line ${lineAt(source, at)}: ${reason}`)
  }
  const after = (end: string, from: number, what: string): number => {
    const found = source.indexOf(end, from)
    return found === -1 ? fail(`${what} does not end`, from) : found + end.length
  }
  /** @param pattern Sticky, one class of characters: it cannot backtrack. */
  const skip = (pattern: RegExp, from: number): number => {
    pattern.lastIndex = from
    return from + (pattern.exec(source)?.[0].length ?? 0)
  }

  for (let at = source.startsWith('\uFEFF') ? 1 : 0; at < source.length; ) {
    const start = at
    if (source[at] !== '<') {
      const next = source.indexOf('<', at)
      at = next === -1 ? source.length : next
      yield { type: 'text', text: decoded(source.slice(start, at)) }
    } else if (source.startsWith('<!--', at)) at = after('-->', at + 4, 'a comment')
    else if (source.startsWith('<![CDATA[', at)) {
      at = after(']]>', at + 9, 'a CDATA section')
      yield { type: 'text', text: source.slice(start + 9, at - 3) }
    } else if (source[at + 1] === '?') at = after('?>', at + 2, 'a processing instruction')
    else if (source[at + 1] === '!') at = afterDeclaration(at)
    else if (source[at + 1] === '/') {
      const end = skip(nameCharacters, at + 2)
      at = after('>', end, 'a tag')
      yield { type: 'close', name: source.slice(start + 2, end) }
    } else yield* tag()

    function* tag(): Generator<XmlToken, void> {
      const attributes: [name: string, value: string][] = []
      at = skip(nameCharacters, start + 1)
      const name = source.slice(start + 1, at)
      if (name === '') fail('a tag has no name', start)
      for (;;) {
        const from = skip(spaces, at)
        at = skip(nameCharacters, from)
        if (at === from) break
        const key = source.slice(from, at)
        at = skip(spaces, at)
        const quote = source[at] === '=' ? source[skip(spaces, at + 1)] : undefined
        if (quote !== '"' && quote !== "'") return fail('an attribute has no quoted value', from)
        const value = skip(spaces, at + 1) + 1
        at = after(quote, value, 'an attribute')
        attributes.push([key, decoded(source.slice(value, at - 1))])
      }
      const isEmpty = source[at] === '/'
      if (source[isEmpty ? at + 1 : at] !== '>') fail('a tag is malformed', start)
      at += isEmpty ? 2 : 1
      yield { type: 'open', name, attributes: Object.fromEntries(attributes) }
      if (isEmpty) yield { type: 'close', name }
    }
  }

  /** A document type may hold quoted text, comments, and declarations in square brackets. */
  function afterDeclaration(start: number): number {
    let isInside = false
    for (let at = skip(plainCharacters, start + 2); at < source.length; at = skip(plainCharacters, at)) {
      const character = source[at]
      if (character === '"' || character === "'") at = after(character, at + 1, 'a document type')
      else if (source.startsWith('<!--', at)) at = after('-->', at + 4, 'a comment')
      else {
        at++
        if (character === '>' && !isInside) return at
        if (character === '[' || character === ']') isInside = character === '['
      }
    }
    return fail('a document type does not end', start)
  }
}

const spaces = /\s*/y
const nameCharacters = /[^\s"'<>/=]*/y
/** In a document type. */
const plainCharacters = /[^"'<>[\]]*/y

const lineAt = (source: string, end: number): number => {
  let line = 1
  for (let at = source.indexOf('\n'); at !== -1 && at < end; at = source.indexOf('\n', at + 1)) line++
  return line
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Decodes references to characters and the five predefined entities (XML 1.0, 4.1 and 4.6); others remain. */
const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(lt|gt|amp|quot|apos));/gi, (reference, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? reference
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
  })
