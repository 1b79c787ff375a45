/** The status of a request whose connection was reset, as in `Response.error()` and `XMLHttpRequest`. */
export const noResponse = 0

export const shownStatus = (status: number): string => (status === noResponse ? 'reset' : String(status))

/** The statuses for which the constructor of `Response` throws if a body is given (Fetch standard, 2.2.3). */
const nullBodyStatuses: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

export const hasNullBody = (status: number): boolean => nullBodyStatuses.has(status)

/** Forbids Content-Length in 1xx and 204 (RFC 9110, 8.6), and in 304, where it would describe the body of a 200. */
export const mayHaveLength = (status: number): boolean => status >= 200 && status !== 204 && status !== 304

/** Reason phrases: first the phrase of RFC 9110, then an older phrase that many services still send. */
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

export const isReasonPhrase = (text: unknown, status: number): boolean =>
  phrases[status]?.some((phrase) => phrase === text) ?? false
