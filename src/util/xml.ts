/** An element of an XML document. */
export type XmlElement = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** The text of the element itself, without that of its children. */
  readonly text: string
}

type OpenElement = XmlElement & { readonly children: XmlElement[]; text: string }

/** Comments, CDATA sections, processing instructions, document types, tags; quoted attributes may hold `>`. */
const markup =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE[^[>]*(?:\[[^\]]*\]\s*)?>|<(\/?)([\w:.-]+)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>/g
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/**
 * Parses XML that programs write as reports. Entities that a document declares are not expanded, so that a small
 * document cannot grow without bound.
 * @returns The root element; `undefined` for text that is not XML, or that ends before its root element does.
 */
export const parseXml = (source: string): XmlElement | undefined => {
  const document = element('', {})
  const open = [document]
  let end = 0
  for (const match of source.matchAll(markup)) {
    const [tag, cdata, isEnd, name, attributes = '', isEmpty] = match
    const current = open.at(-1) ?? document
    current.text += decoded(source.slice(end, match.index)) + (cdata ?? '')
    end = match.index + tag.length
    if (name === undefined) continue
    if (isEnd) {
      if (open.length === 1 || current.name !== name) return undefined
      open.pop()
      continue
    }
    const added = element(name, attributesIn(attributes))
    current.children.push(added)
    if (!isEmpty) open.push(added)
  }
  const isComplete = open.length === 1 && (document.text + source.slice(end)).replace('\uFEFF', '').trim() === ''
  return isComplete && document.children.length === 1 ? document.children[0] : undefined
}

const element = (name: string, attributes: Readonly<Record<string, string>>): OpenElement => ({
  name,
  attributes,
  children: [],
  text: '',
})

const attributesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(attribute)].map(([, name = '', double, single]) => [name, decoded(double ?? single ?? '')]),
  )

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Decodes references to characters and the five predefined entities (XML 1.0, 4.1 and 4.6); others remain. */
const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(lt|gt|amp|quot|apos));/gi, (reference, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? reference
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
  })
