/** The status of a connection that was reset, as `Response.error()` and `XMLHttpRequest` have it. */
export const noResponse = 0

/** A status for people. */
export const shownStatus = (status: number): string => (status === noResponse ? 'reset' : String(status))

/** Statuses whose response has no body (the Fetch standard, 2.2.3; a `Response` of them refuses one). */
const nullBodyStatuses: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

export const hasNullBody = (status: number): boolean => nullBodyStatuses.has(status)

/** Whether a response carries `Content-Length` (RFC 9110, 8.6): not with 1xx and 204, nor with 304, whose length would describe another body. */
export const mayHaveLength = (status: number): boolean => status >= 200 && status !== 204 && status !== 304

/** The reason phrases of refusals (RFC 9110, 15), then phrases of earlier standards that many services still send. */
const phrases: Readonly<Record<number, readonly string[]>> = {
  400: ['Bad Request'],
  401: ['Unauthorized'],
  402: ['Payment Required'],
  403: ['Forbidden'],
  404: ['Not Found'],
  405: ['Method Not Allowed'],
  408: ['Request Timeout'],
  409: ['Conflict'],
  413: ['Content Too Large', 'Payload Too Large'],
  415: ['Unsupported Media Type'],
  422: ['Unprocessable Content', 'Unprocessable Entity'],
  429: ['Too Many Requests'],
  431: ['Request Header Fields Too Large'],
  500: ['Internal Server Error'],
  501: ['Not Implemented'],
  502: ['Bad Gateway'],
  503: ['Service Unavailable'],
  504: ['Gateway Timeout'],
  507: ['Insufficient Storage'],
  508: ['Loop Detected'],
}

export const reasonPhrase = (status: number): string => phrases[status]?.[0] ?? 'Error'

/** Whether a text is the reason phrase of a status, in this standard or an earlier one. */
export const isReasonPhrase = (text: unknown, status: number): boolean =>
  phrases[status]?.some((phrase) => phrase === text) ?? false
