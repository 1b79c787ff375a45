export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const escapes: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

/** Escapes text for an element, or for an attribute in double quotes. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll(/[<>&"]/g, (character) => escapes[character] ?? '')

/** Escapes text for HTML, also for an attribute in single quotes. */
export const escapeHtml = (text: string): string => escapeMarkup(text).replaceAll("'", '&#39;')

export const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The maximum length of a name or value in a message. Redact first, because redaction misses a truncated secret. */
export const maxShownLength = 100

export const shorten = (text: string, maxLength = maxShownLength): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text

/** In characters. Long enough for few writes, and far below the maximum length of a string. */
const minChunkLength = 256 * 1024

/** Joins short texts into chunks of at least 256 Ki characters, one at a time. The last chunk may be shorter. */
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
