/** Whether a text is an origin as browsers send it (RFC 6454, 6.1): without a path or wildcard, or `null`. */
export const isOrigin = (text: string): boolean =>
  text === 'null' || (/^[a-z][a-z\d+.-]*:\/\/[^/?#\s@\\*]+$/i.test(text) && URL.canParse(text))

export const normalisedOrigin = (origin: string): string => {
  const text = origin.trim().toLowerCase()
  return /^https?:/.test(text) && isOrigin(text) ? new URL(text).origin : text
}
