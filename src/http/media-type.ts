/** Whether a Content-Type is `application/json`, with parameters or without (RFC 9110, 8.3). */
export const isJsonType = (contentType: string | undefined): boolean =>
  contentType === 'application/json' || /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? '')

/** Whether a Content-Type is JSON or has the structured suffix `+json` (RFC 6839, 3.1). */
export const isJsonLikeType = (contentType: string | undefined): boolean =>
  isJsonType(contentType) || /\+json\s*(?:;|$)/i.test(contentType ?? '')
