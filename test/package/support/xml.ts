import sax from 'sax'

export type Element = { readonly name: string; readonly attributes: Readonly<Record<string, string>> }

export const parseXml = (text: string): readonly Element[] => {
  const bad = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.exec(text)
  if (bad !== null) throw new Error(`Invalid XML character at ${bad.index}`)
  const elements: Element[] = []
  const parser = sax.parser(true)
  parser.onopentag = ({ name, attributes }) => elements.push({ name, attributes: attributes as Element['attributes'] })
  parser.onerror = (error) => {
    throw error
  }
  parser.write(text).close()
  return elements
}
