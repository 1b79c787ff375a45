/** Matches a `token` of HTTP, such as a method or the name of a header (RFC 9110, 5.6.2). */
export const tokenPattern = "[\\w!#$%&'*+.^`|~-]+"

/** Excludes control characters from header values, which prevents header injection (RFC 9110, 5.5). */
export const fieldValuePattern = '[\\t\\x20-\\x7E\\x80-\\xFF]*'

/** A flat list in which each name is followed by its value, as in `rawHeaders` of node:http. */
export type RawHeaders = readonly string[]

export const singleHeaders: readonly string[] = ['host', 'authorization', 'content-type', 'content-length']

export const headerEntries = (headers: RawHeaders): [name: string, value: string][] => {
  const entries: [string, string][] = []
  for (let i = 0; i < headers.length; i += 2) entries.push([headers[i] ?? '', headers[i + 1] ?? ''])
  return entries
}

/** Joins repeated headers with commas (RFC 9110, 5.3). @param name In lower case. */
export const headerValue = (headers: RawHeaders, name: string): string | undefined => {
  let joined: string | undefined
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i]?.toLowerCase() !== name) continue
    const value = headers[i + 1] ?? ''
    joined = joined === undefined ? value : `${joined}, ${value}`
  }
  return joined
}

/** Keeps both values of `Vary`, which may be repeated (RFC 9110, 12.5.5). */
export const missingHeaders = (headers: RawHeaders, added: RawHeaders): string[] =>
  filterHeaders(added, (name) => name === 'vary' || headerValue(headers, name) === undefined)

export const filterHeaders = (headers: RawHeaders, keep: (name: string) => boolean): string[] =>
  headerEntries(headers)
    .filter(([name]) => keep(name.toLowerCase()))
    .flat()

export const fromFetchHeaders = (headers: Headers): string[] => {
  const raw: string[] = []
  // perf: an iterator costs several times as much as `forEach` (`npm run bench`, msw handlers).
  headers.forEach((value, name) => {
    raw.push(name, value)
  })
  return raw
}

export const toHeaderRecord = (headers: RawHeaders): Record<string, string | string[]> => {
  const record: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of headerEntries(headers)) {
    const key = name.toLowerCase()
    const known = record[key]
    record[key] = known === undefined ? value : [known, value].flat()
  }
  return record
}
