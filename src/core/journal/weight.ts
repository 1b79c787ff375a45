import { maxViolations } from '../contract/violation.ts'
import { type Body, bodyTooLarge } from '../http/exchange.ts'
import { headerValue, type RawHeaders } from '../http/headers.ts'
import { maxBodyWeight } from './budget.ts'
import { isOwn, type Recorded } from './recorded.ts'

/**
 * Drops bodies that exceed their share of the budget, and returns what a reader of the exchange gets, in characters of
 * JSON. The weight is at least that, whatever a client sends.
 * @param headersWeight That of the request, by `weighRequestHeaders`.
 */
export const weighExchange = (recorded: Recorded, headersWeight: number): number => {
  const { body, responseBody } = recorded
  const isForeign = !isOwn(recorded)
  let weight = weighLine(recorded) + headersWeight + (isForeign ? weighForeign(recorded) : 0)
  const request = weighReceived(body)
  if (request <= maxBodyWeight) weight += request
  else recorded.body = bodyTooLarge
  const response = isForeign ? weighReceived(responseBody) : weighOwn(responseBody)
  if (response <= maxBodyWeight) weight += response
  else recorded.responseBody = bodyTooLarge
  return weight
}

/** Everything but headers and bodies. */
const weighLine = ({ path, query, body }: Recorded): number => {
  const bodyLength = typeof body === 'string' ? body.length : 0
  // Each parameter and each field may be a violation.
  const violations = Math.min(maxViolations, 3 + query.length / 2 + bodyLength / 6)
  return entryWeight + urlFactor * (path.length + query.length) + violationWeight * violations
}

/** Names of properties, numbers and assumptions, and the headers of the model. */
const entryWeight = 1_000
/** The URL, whose characters may be escaped, and violations that cite it. */
const urlFactor = 4
/** Section and sentence of a violation, without what it cites. */
const violationWeight = 120

/** A violation may cite the Content-Type. */
export const weighRequestHeaders = (headers: RawHeaders): number =>
  weighHeaders(headers) + 2 * (headerValue(headers, 'content-type')?.length ?? 0)

const weighHeaders = (headers: RawHeaders): number =>
  headers.reduce((sum, text) => sum + 2 * text.length + stringOverhead, 0)

/** The memory for a string beside its characters: a request may have a thousand headers of one letter. */
const stringOverhead = 24

/** The headers of a response of another service, and the violations in it. */
const weighForeign = ({ responseHeaders, forwarded }: Recorded): number =>
  (forwarded?.violations ?? []).reduce(
    (sum, { detail }) => sum + violationWeight + weighReceived(detail),
    weighHeaders(responseHeaders),
  )

/**
 * The model's JSON is read as text, where each character may be escaped, and as JSON.
 * perf: a bound, because counting the escapes of a new list costs nearly as much as joining it (`npm run bench`, GET).
 */
const weighOwn = (body: Body): number => (typeof body === 'string' ? 3 * body.length : 0)

/** A body of any kind is read as text with escapes, as JSON, and in violations that cite the names of its fields. */
const weighReceived = (body: Body): number => {
  if (typeof body !== 'string') return 0
  // perf: a quarter of the time of the loop (`npm run bench`, POST). Each character may be a quotation mark.
  if (body.length <= maxRoughlyWeighed && !mayGrow.test(body)) return 4 * body.length
  let weight = 3 * body.length
  for (let at = 0; at < body.length; at++) {
    const code = body.charCodeAt(at)
    if (code < 0x20 || isSurrogate(code)) weight += unicodeEscape
    else if (code === quotationMark || code === backslash) weight++
    else if (isExponent(body, at, code)) weight += digitsOfExponent
  }
  return weight
}

/** In characters; of a long body, a rough weight would evict many others. */
const maxRoughlyWeighed = 1_000

/** Finds control characters, backslashes, surrogates and exponents, for which JSON may have several characters. */
const mayGrow = /[^ -[\]-\ud7ff\ue000-\uffff]|\d[eE]/

const quotationMark = 0x22
const backslash = 0x5c
/** `\u0000` instead of one character. */
const unicodeEscape = 5
/** JSON has `1e20` with all its digits. */
const digitsOfExponent = 21

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff
const isExponent = (body: string, at: number, code: number): boolean =>
  (code === 0x65 || code === 0x45) && isDigit(body.charCodeAt(at - 1))
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
