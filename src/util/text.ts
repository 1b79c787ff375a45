export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const escapes: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

export const escapeMarkup = (text: string): string =>
  text.replaceAll(/[<>&"]/g, (character) => escapes[character] ?? '')

export const escapeHtml = (text: string): string => escapeMarkup(text).replaceAll("'", '&#39;')

export const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Redact a text before truncating it to this length, because redaction misses a partial secret. */
export const maxShownLength = 100

export const shorten = (text: string, maxLength = maxShownLength): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text

/** In characters: long enough for few writes, and far below the maximum length of a string. */
const minChunkLength = 256 * 1024

export function* textChunks(texts: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const text of texts) {
    chunk += text
    if (chunk.length < minChunkLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
