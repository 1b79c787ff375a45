import {
  fieldValuePattern,
  headerEntries,
  headerValue,
  type RawHeaders,
  tokenPattern,
} from '../../core/http/headers.ts'
import { isJsonType } from '../../core/http/media-type.ts'
import { hidden } from '../../core/http/redact.ts'
import { operations } from '../../core/operations/operations.ts'
import { decodeHarText } from '../../server/files/har-text.ts'
import type { PlantMockError } from '../../util/errors.ts'
import { isJsonObject } from '../../util/json.ts'

/** One exchange with `/plants`. `Authorization` names a caller instead of a token: `Bearer caller-1`. */
export type SourceExchange = {
  readonly method: string
  /** Relative to the base URL, with the query: `/plants?limit=1`. */
  readonly url: string
  /** The headers that decide a reply, by name in lower case. */
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string | undefined
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  /** `undefined` if the body was not recorded completely. */
  readonly body: string | undefined
  /** In milliseconds since 1970. */
  readonly startedAt: number
  readonly endedAt: number
  /** The number of the entry, from 1; in a journal, the id of the request. */
  readonly place: number
}

type Fields = Readonly<Record<string, unknown>>

export type RawExchange = Omit<SourceExchange, 'url' | 'requestHeaders' | 'responseHeaders'> & {
  readonly url: URL
  readonly requestHeaders: RawHeaders
  readonly responseHeaders: RawHeaders
  /** Why the exchange shows nothing about the service. */
  readonly leftOut: string | undefined
  /** Marks a page's request, or the copy that its service worker forwards: some programs record both. */
  readonly worker?: 'forwarded' | 'forwards' | undefined
}

/** Reads one element of a file. @param fail Makes an error that names the element. */
type ReadOne = (fields: Fields, place: number, fail: (reason: string) => PlantMockError) => RawExchange

const isField = new RegExp(`^${tokenPattern}$`)
const isFieldValue = new RegExp(`^${fieldValuePattern}$`)

/** Drops invalid headers, and pseudo-headers of HTTP/2 (RFC 9113, 8.3), which some browsers record. */
const validHeaders = (headers: RawHeaders): RawHeaders =>
  headerEntries(headers)
    .filter(([name, value]) => isField.test(name) && isFieldValue.test(value))
    .flat()

const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {})
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

const urlIn = (value: unknown, base?: string): URL | undefined => {
  const url = textOf(value)
  return url !== undefined && URL.canParse(url, base) ? new URL(url, base) : undefined
}

const timesOf = (started: unknown, took: unknown) => {
  const startedAt = numberOf(Date.parse(String(started)))
  return { startedAt, endedAt: startedAt + Math.max(0, numberOf(took)) }
}

export const readEntry: ReadOne = (entry, place, fail) => {
  const request = fieldsOf(entry.request)
  const response = fieldsOf(entry.response)
  const url = urlIn(request.url)
  if (url === undefined) throw fail('has no address in request.url')
  const method = textOf(request.method)?.toUpperCase()
  if (!method) throw fail('has no text in request.method')
  const { status } = response
  if (typeof status !== 'number') throw fail('has no number in response.status')
  const requestHeaders = headersOf(request.headers)
  const requestBody = sentText(request, requestHeaders)
  const isCached = [entry, response, fieldsOf(entry.cache)].some((one) => one._fromCache || one.fromCache)
  const responseHeaders = headersOf(response.headers)
  // Chromium records 304 as 200 with the headers of the 304, which has no Content-Type (RFC 9110, 15.4.5).
  const isRevalidated =
    ['if-none-match', 'if-modified-since'].some((name) => headerValue(requestHeaders, name) !== undefined) &&
    headerValue(responseHeaders, 'content-type') === undefined
  const isFromFirefoxCache = isJsonObject(fieldsOf(entry.cache).afterRequest)
  const isForwarded = [entry, response].some((one) => one._fetchedViaServiceWorker || one._fromServiceWorker)
  return {
    place,
    method,
    url,
    requestHeaders,
    requestBody,
    status,
    responseHeaders,
    body: contentText(fieldsOf(response.content), responseHeaders),
    ...timesOf(entry.startedDateTime, entry.time),
    // Playwright writes `_serviceWorkerRef`.
    worker: isForwarded ? 'forwarded' : '_serviceWorkerRef' in entry ? 'forwards' : undefined,
    leftOut:
      method === 'OPTIONS'
        ? 'a preflight (OPTIONS)'
        : status < 100
          ? 'without a response'
          : status === 304 || isCached || isRevalidated || isFromFirefoxCache
            ? 'from the cache of the client'
            : method === operations.createPlant.method && requestBody === undefined && isSent(request, requestHeaders)
              ? 'the body of the request was not recorded'
              : undefined,
  }
}

const headersOf = (list: unknown): RawHeaders =>
  validHeaders(
    (Array.isArray(list) ? list : []).flatMap((one: unknown) => {
      const { name, value } = fieldsOf(one)
      return typeof name === 'string' && typeof value === 'string' ? [name, value] : []
    }),
  )

const isSent = ({ bodySize, postData }: Fields, headers: RawHeaders): boolean =>
  numberOf(bodySize) > 0 || Number(headerValue(headers, 'content-length')) > 0 || isJsonObject(postData)

/** Browsers record the fields of a form as `params`, and some omit `text`. */
const sentText = ({ postData }: Fields, headers: RawHeaders): string | undefined => {
  const { text, params, encoding } = fieldsOf(postData)
  if (typeof text === 'string' && text !== '')
    return encoding === 'base64' ? decodeHarText(text, headerValue(headers, 'content-encoding')) : text
  if (!Array.isArray(params) || params.length === 0) return textOf(text)
  const pairs = params.map(fieldsOf).map(({ name, value = '' }) => [String(name), value] as const)
  if (!isJsonType(headerValue(headers, 'content-type')))
    return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  // chrome-har also splits JSON into `params`. A nested array repeats its name; a top-level array has indexes as names.
  const names = new Set(pairs.map(([name]) => name))
  return names.size < pairs.length || names.has('0') ? undefined : JSON.stringify(Object.fromEntries(pairs))
}

/** The size of a byte order mark, which decoding removes. */
const markSize = 3

/** `undefined` for a body that is missing (Playwright then writes the size -1), truncated, or in a separate file. */
const contentText = ({ text, encoding, size }: Fields, headers: RawHeaders): string | undefined => {
  if (typeof text !== 'string') return size === 0 ? '' : undefined
  const body = encoding === 'base64' ? decodeHarText(text, headerValue(headers, 'content-encoding')) : text
  return body === undefined || numberOf(size) > Buffer.byteLength(body) + markSize ? undefined : body
}

export const readJournalEntry: ReadOne = (entry, index, fail) => {
  const { status, fault, source } = entry
  const url = urlIn(entry.url, 'http://plant-mock.invalid')
  const method = textOf(entry.method)
  if (url === undefined || method === undefined || typeof status !== 'number')
    throw fail('has no method, url or status')
  const [request, response] = [fieldsOf(entry.request), fieldsOf(entry.response)]
  const requestHeaders = recordedHeaders(request.headers)
  return {
    place: numberOf(entry.id) || index,
    method,
    url,
    requestHeaders,
    requestBody: textOf(request.body),
    status,
    responseHeaders: recordedHeaders(response.headers),
    body: response.bodyOmitted === true ? undefined : (textOf(response.body) ?? ''),
    ...timesOf(entry.time, entry.milliseconds),
    leftOut:
      fault !== undefined
        ? 'a fault'
        : source === 'handlers'
          ? 'from handlers of the user'
          : request.bodyOmitted === true
            ? 'the body of the request was not kept'
            : /^bearer \*$/i.test(headerValue(requestHeaders, 'authorization') ?? '')
              ? 'the journal does not show whether the token is known, unknown or malformed'
              : undefined,
  }
}

const recordedHeaders = (headers: unknown): RawHeaders =>
  validHeaders(
    Object.entries(fieldsOf(headers)).flatMap(([name, value]) =>
      // `…` is not Latin-1, as headers must be. No real token contains an asterisk.
      typeof value === 'string' ? [name, value.replaceAll(hidden, '*')] : [],
    ),
  )
