/** Statuses whose response has no body (the Fetch standard, 2.2.3; a `Response` of them refuses one). */
const nullBodyStatuses: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

export const hasNullBody = (status: number): boolean => nullBodyStatuses.has(status)

/** Whether a response of this status carries `Content-Length: 0` when it has no body (RFC 9110, 8.6: not 1xx and 204). */
export const mayHaveLength = (status: number): boolean => status >= 200 && status !== 204
