import type { Assumptions } from '../assumptions/registry.ts'

/** Whether a Content-Type is `application/json`, with parameters or without (RFC 9110, 8.3). */
export const isJsonType = (contentType: string | undefined): boolean =>
  contentType === 'application/json' || /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? '')

/** Whether a Content-Type is JSON or has the structured suffix `+json` (RFC 6839, 3.1). */
export const isJsonLikeType = (contentType: string | undefined): boolean =>
  isJsonType(contentType) || /\+json\s*(?:;|$)/i.test(contentType ?? '')

/** Whether a Content-Type is HTML or XML, in which text is escaped. */
export const isMarkupType = (contentType: string): boolean => /^[^;]*\b(?:html|xml)\s*(?:;|$)/i.test(contentType)

/** Whether a browser shows a Content-Type as text: it runs no script, and does not guess another type. */
export const isInertType = (contentType: string): boolean =>
  isJsonLikeType(contentType) || /^text\/plain\s*(?:;|$)/i.test(contentType)

/** In characters. A longer coding is omitted instead of truncated, because a partial secret could not be redacted. */
const maxShownCoding = 100

export const shownCoding = (coding: string): string => (coding.length > maxShownCoding ? '…' : coding)

/** The `Content-Encoding` of an encoded body, for messages; `undefined` for `identity` or none (RFC 9110, 8.4). */
export const contentCoding = (message: { header(name: string): string | undefined }): string | undefined => {
  const coding = message.header('content-encoding')
  return coding?.split(',').every((part) => /^(?:identity)?$/i.test(part.trim()))
    ? undefined
    : coding && shownCoding(coding)
}

/** Whether `Accept` names `text/html` without `q=0` (RFC 9110, 12.4.2); programs send wildcards by default. */
export const acceptsHtml = (accept: string | undefined): boolean =>
  /\btext\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accept ?? '')

export const jsonTypeOf = (assumptions: Pick<Assumptions, 'json.contentType'>): string => {
  const value = assumptions['json.contentType']
  if (value === 'bare') return 'application/json'
  return value === 'charset' ? 'application/json; charset=utf-8' : value
}
