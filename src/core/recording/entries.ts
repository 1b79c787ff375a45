import { type Fields, fieldsOf, isJsonObject } from '../../util/json.ts'
import { fieldValuePattern, headerEntries, headerValue, type RawHeaders, tokenPattern } from '../http/headers.ts'
import { acceptsHtml, isJsonLikeType } from '../http/media-type.ts'
import { hidden } from '../http/redact.ts'
import { hasNullBody } from '../http/status.ts'

/** An exchange with the service. `Authorization` contains a pseudonym instead of a token: `Bearer caller-1`. */
export type SourceExchange = {
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string | undefined
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly startedAt: number
  readonly endedAt: number
  readonly place: number
}

export type RecordedBodies = {
  readonly decode: (base64: string, encoding?: string) => string | undefined
  readonly attached: (name: string) => string | undefined
}

export type RawExchange = Omit<SourceExchange, 'url' | 'requestHeaders' | 'responseHeaders'> & {
  readonly url: URL
  readonly requestHeaders: RawHeaders
  readonly responseHeaders: RawHeaders
  readonly leftOut: string | undefined
  /** Set if a program recorded a page's request twice: as sent by the page, and as forwarded by its service worker. */
  readonly worker?: 'forwarded' | 'forwards' | undefined
}

type ReadOne = (fields: Fields, place: number, bodies: RecordedBodies) => RawExchange

export const page = 'pages and prefetches of a browser'

const withoutBodies =
  "the recording lacks their bodies. Record with bodies: recordHar: { content: 'embed' } in Playwright, " +
  '"Save all as HAR with content" or "Export HAR (with sensitive data)" in DevTools'

const isField = new RegExp(`^${tokenPattern}$`)
const isFieldValue = new RegExp(`^${fieldValuePattern}$`)

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

export const readEntry: ReadOne = (entry, place, bodies) => {
  const request = fieldsOf(entry.request)
  const response = fieldsOf(entry.response)
  const method = textOf(request.method)?.toUpperCase() ?? ''
  const status = numberOf(response.status)
  const cookies = [request, response].flatMap((one) => headersOf(one.cookies))
  const requestHeaders = [
    ...headersOf(request.headers),
    ...headerEntries(cookies).flatMap(([, value]) => ['cookie', value]),
  ]
  const responseHeaders = headersOf(response.headers)
  const requestBody = textIn(fieldsOf(request.postData), requestHeaders, bodies)
  const body = method === 'HEAD' || hasNullBody(status) ? '' : receivedText(response, responseHeaders, bodies)
  const places = [entry, response, fieldsOf(entry.cache)]
  const isCached = places.some((one) => one._fromCache || one.fromCache || isJsonObject(one.afterRequest))
  // Recognises a 304 that Chromium recorded as 200: its headers lack Content-Type (RFC 9110, 15.4.5).
  const isRevalidated =
    ['if-none-match', 'if-modified-since'].some((name) => headerValue(requestHeaders, name) !== undefined) &&
    headerValue(responseHeaders, 'content-type') === undefined
  const isForwarded = [entry, response].some((one) => one._fetchedViaServiceWorker || one._fromServiceWorker)
  const reasons: Readonly<Record<string, boolean>> = {
    'a preflight (OPTIONS)': method === 'OPTIONS',
    [page]: isPage(entry._resourceType, requestHeaders, status, responseHeaders),
    'without a response or a method': status < 100 || method === '',
    'from the cache of the client': status === 304 || isCached || isRevalidated,
    [withoutBodies]: body === undefined || lacksBody(request, requestHeaders, requestBody),
  }
  const url = String(request.url)
  const startedAt = numberOf(Date.parse(String(entry.startedDateTime)))
  return {
    ...{ place, method, requestHeaders, requestBody, status, responseHeaders, body, startedAt },
    url: new URL(URL.canParse(url) ? url : 'about:invalid'),
    endedAt: startedAt + Math.max(0, numberOf(entry.time)),
    worker: isForwarded ? 'forwarded' : '_serviceWorkerRef' in entry ? 'forwards' : undefined,
    leftOut: reasonIn(reasons),
  }
}

/** Drops invalid headers, and HTTP/2 pseudo-headers such as `:path`, which some browsers record. */
const headersOf = (list: unknown): RawHeaders =>
  (Array.isArray(list) ? list : []).flatMap((one: unknown) => {
    const { name, value } = fieldsOf(one)
    const isHeader = isField.test(textOf(name) ?? '') && isFieldValue.test(textOf(value) ?? '\0')
    return isHeader ? [String(name), String(value)] : []
  })

const isPage = (type: unknown, request: RawHeaders, status: number, response: RawHeaders): boolean => {
  const contentType = headerValue(response, 'content-type')
  const header = (name: string): string => headerValue(request, name) ?? ''
  return (
    !isJsonLikeType(contentType) &&
    (type === 'document' ||
      acceptsHtml(header('accept')) ||
      header('rsc') !== '' ||
      /^prefetch/i.test(header('sec-purpose') || header('purpose')) ||
      (status < 300 && /^text\/(?:html|x-component)\b/i.test(contentType ?? '')))
  )
}

const lengthIn = (headers: RawHeaders): number => Number(headerValue(headers, 'content-length')) || 0

/** Also reads the declared sizes, because some browsers record an empty text for a body that they did not keep. */
const lacksBody = ({ bodySize, postData }: Fields, headers: RawHeaders, text: string | undefined): boolean =>
  !text && (numberOf(bodySize) > 0 || lengthIn(headers) > 0 || (isJsonObject(postData) && text === undefined))

const textIn = ({ text, encoding, _file }: Fields, headers: RawHeaders, { decode, attached }: RecordedBodies) => {
  if (typeof _file === 'string') return attached(_file)
  return typeof text === 'string' && encoding === 'base64'
    ? decode(text, headerValue(headers, 'content-encoding'))
    : textOf(text)
}

const byteOrderMarkSize = 3

const receivedText = (response: Fields, headers: RawHeaders, bodies: RecordedBodies): string | undefined => {
  const content = fieldsOf(response.content)
  const { size } = content
  const body = textIn(content, headers, bodies) ?? (size === 0 ? '' : undefined)
  if (body === undefined || (body === '' && lengthIn(headers) > 0)) return undefined
  return numberOf(size) > new TextEncoder().encode(body).length + byteOrderMarkSize ? undefined : body
}

export const readJournalEntry: ReadOne = (exchange, index, bodies) => {
  const { id, fault, source, request, response } = exchange
  const entry = readEntry(harEntry(exchange, 'http://plant-mock.invalid'), numberOf(id) || index, bodies)
  const { authorization } = fieldsOf(fieldsOf(request).headers)
  const reasons: Readonly<Record<string, boolean>> = {
    'a fault': fault !== undefined,
    'from handlers of the user': source === 'handlers',
    'the journal did not keep their bodies': [request, response].some((one) => fieldsOf(one).bodyOmitted === true),
    'the journal does not show whether the token is known, unknown or malformed': /^bearer …$/i.test(
      String(authorization),
    ),
  }
  return { ...entry, leftOut: reasonIn(reasons) ?? entry.leftOut }
}

const reasonIn = (reasons: Readonly<Record<string, boolean>>): string | undefined =>
  Object.keys(reasons).find((reason) => reasons[reason])

export const harEntry = ({ time, milliseconds, method, url, status, ...exchange }: Fields, base: string) => {
  const [request, response] = [fieldsOf(exchange.request), fieldsOf(exchange.response)]
  const messageOf = ({ headers }: Fields) => ({
    httpVersion: 'HTTP/1.1',
    cookies: [],
    // Replaces the redaction mark `…`, which is invalid in a header, by `*`, which occurs in no token.
    headers: Object.entries(fieldsOf(headers)).map(([name, value]) => ({
      name,
      value: String(value).replaceAll(hidden, '*'),
    })),
    headersSize: -1,
    bodySize: -1,
  })
  const address = `${base}${url}`
  // Uses the parsed `json` of a body with escapes, because escapes can hide a secret from redaction.
  const contentOf = ({ headers, body = '', bodyOmitted, json }: Fields) => ({
    mimeType: String(fieldsOf(headers)['content-type'] ?? ''),
    ...(bodyOmitted !== true && {
      text: /\\u00/.test(String(body)) && json !== undefined ? JSON.stringify(json) : body,
    }),
  })
  return {
    startedDateTime: time,
    time: milliseconds,
    request: {
      ...{ method, url: address, ...messageOf(request) },
      queryString: [...new URLSearchParams(address.split('?')[1])].map(([name, value]) => ({ name, value })),
      ...('body' in request || request.bodyOmitted === true ? { postData: contentOf(request) } : {}),
    },
    response: {
      ...{ status, statusText: '', ...messageOf(response), redirectURL: '' },
      content: { size: -1, ...contentOf(response) },
    },
    cache: {},
    timings: { send: 0, wait: milliseconds, receive: 0 },
  }
}
