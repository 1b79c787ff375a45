import type { Assumptions } from '../assumptions/registry.ts'

export const isJsonType = (contentType: string | undefined): boolean =>
  contentType === 'application/json' || /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? '')

export const isJsonLikeType = (contentType: string | undefined): boolean =>
  isJsonType(contentType) || /\+json\s*(?:;|$)/i.test(contentType ?? '')

export const isMarkupType = (contentType: string): boolean => /^[^;]*\b(?:html|xml)\s*(?:;|$)/i.test(contentType)

/** A browser shows these media types as text: the browser runs no script, and guesses no other type. */
export const isInertType = (contentType: string): boolean =>
  isJsonLikeType(contentType) || /^text\/plain\s*(?:;|$)/i.test(contentType)

/** In characters. A longer coding is hidden completely, because the redactor cannot find a truncated secret. */
const maxShownCoding = 100

export const shownCoding = (coding: string): string => (coding.length > maxShownCoding ? '…' : coding)

export const contentCoding = (message: { header(name: string): string | undefined }): string | undefined => {
  const coding = message.header('content-encoding')
  return coding?.split(',').every((part) => /^(?:identity)?$/i.test(part.trim()))
    ? undefined
    : coding && shownCoding(coding)
}

/** Programs accept any type by default: only a browser names `text/html` without `q=0` (RFC 9110, 12.4.2). */
export const acceptsHtml = (accept: string | undefined): boolean =>
  /\btext\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accept ?? '')

export const jsonTypeOf = (assumptions: Pick<Assumptions, 'json.contentType'>): string => {
  const value = assumptions['json.contentType']
  if (value === 'bare') return 'application/json'
  return value === 'charset' ? 'application/json; charset=utf-8' : value
}
