export type Element = { readonly name: string; readonly attributes: Readonly<Record<string, string>> }

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
}

const decode = (text: string): string =>
  text.replaceAll(/&[^;]*;?/g, (entity) => {
    const [, code] = /^&#(\d+);$/.exec(entity) ?? []
    const character = code === undefined ? entities[entity] : String.fromCodePoint(Number(code))
    if (character === undefined) throw new Error(`Unknown entity ${entity}`)
    return character
  })

/**
 * Parses the subset of XML that reports use: a declaration, elements, attributes, text, predefined entities.
 * @returns The elements in the order of their start tags.
 * @throws Error when the text is not well-formed (XML 1.0, 2.1).
 */
export const parseXml = (text: string): readonly Element[] => {
  // XML 1.0, 2.2: Char.
  const bad = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.exec(text)
  if (bad !== null) throw new Error(`Invalid XML character at ${bad.index}`)
  const elements: Element[] = []
  const open: string[] = []
  let rest = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  while (rest !== '') {
    const tag = /^<(\/?)([\w.-]+)((?:\s+[\w.-]+="[^"<]*")*)\s*(\/?)>/.exec(rest)
    const [content = ''] = tag ?? /^[^<]+/.exec(rest) ?? []
    if (content === '') throw new Error(`Not well-formed at ${rest.slice(0, 60)}`)
    if (tag === null) {
      if (open.length === 0 && content.trim() !== '') throw new Error(`Text outside of the root element: ${content}`)
      decode(content)
    } else {
      const [, isEnd, name = '', attributes = '', isEmpty] = tag
      if (open.length === 0 && elements.length > 0) throw new Error(`A second root element: ${name}`)
      if (isEnd) {
        if (open.pop() !== name) throw new Error(`</${name}> has no start tag`)
      } else {
        const pairs = [...attributes.matchAll(/([\w.-]+)="([^"]*)"/g)]
        elements.push({
          name,
          attributes: Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, decode(value)])),
        })
        if (!isEmpty) open.push(name)
      }
    }
    rest = rest.slice(content.length)
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)}> has no end tag`)
  return elements
}
