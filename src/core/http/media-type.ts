import type { Assumptions } from '../assumptions/registry.ts'

export const isJsonType = (contentType: string | undefined): boolean =>
  contentType === 'application/json' || /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? '')

export const isJsonLikeType = (contentType: string | undefined): boolean =>
  isJsonType(contentType) || /\+json\s*(?:;|$)/i.test(contentType ?? '')

export const isMarkupType = (contentType: string): boolean => /^[^;]*\b(?:html|xml)\s*(?:;|$)/i.test(contentType)

/** True for JSON and plain text, in which a browser never runs a script. */
export const isInertType = (contentType: string): boolean =>
  isJsonLikeType(contentType) || /^text\/plain\s*(?:;|$)/i.test(contentType)

/** In characters. A longer Content-Encoding is replaced by "…", because a truncated secret could not be redacted. */
const maxShownCoding = 100

export const shownCoding = (coding: string): string => (coding.length > maxShownCoding ? '…' : coding)

export const contentCoding = (message: { header(name: string): string | undefined }): string | undefined => {
  const coding = message.header('content-encoding')
  return coding?.split(',').every((part) => /^(?:identity)?$/i.test(part.trim()))
    ? undefined
    : coding && shownCoding(coding)
}

/** Returns true for browsers, because only browsers name `text/html` in the header Accept. */
export const acceptsHtml = (accept: string | undefined): boolean =>
  /\btext\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accept ?? '')

export const jsonTypeOf = (assumptions: Pick<Assumptions, 'json.contentType'>): string => {
  const value = assumptions['json.contentType']
  if (value === 'bare') return 'application/json'
  return value === 'charset' ? 'application/json; charset=utf-8' : value
}
