import type { Caller } from '../contract/schemas.ts'
import { minSecretLength } from '../http/bearer.ts'
import { headerEntries, headerValue, type RawHeaders } from '../http/headers.ts'
import { authenticate } from '../service/authenticate.ts'

/** Headers whose values are credentials. */
const secretHeaders = new Set(['proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'plant-mock-control-key'])

/** The bearer token among headers; `undefined` without a well-formed one. */
export const bearerToken = (headers: RawHeaders): Caller | undefined =>
  authenticate(headerValue(headers, 'authorization')).token

/** Removes secrets from text. */
export type Redact = (text: string) => string

/** Replaces a token by the pseudonym of its caller, and the values of `access_token` in addresses (RFC 6750, 2.3). */
export const redactor =
  (token: Caller | undefined, pseudonymOf: (caller: Caller) => string): Redact =>
  (text) =>
    redactText(text, token, pseudonymOf)

/** The same for one text. */
export const redactText = (
  text: string,
  token: Caller | undefined,
  pseudonymOf: (caller: Caller) => string,
): string => {
  const isSecret = token !== undefined && token.length >= minSecretLength && text.includes(token)
  return redactAddress(isSecret ? text.replaceAll(token, pseudonymOf(token)) : text)
}

/** perf: a replacement costs ten times as much as a test, and few addresses have a token (`npm run bench`, request log). */
const redactAddress: Redact = (text) =>
  /access_token=/i.test(text) ? text.replaceAll(/(access_token=)[^&\s"]*/gi, '$1…') : text

/** Headers by name in lower case. `Authorization` shows its scheme and the caller's pseudonym. */
export const redactHeaders = (
  headers: RawHeaders,
  pseudonym: string | undefined,
  redact: Redact,
): Readonly<Record<string, string>> => {
  const shown: Record<string, string> = Object.create(null)
  for (const [mixedCase, value] of headerEntries(headers)) {
    const name = mixedCase.toLowerCase()
    const text = redactValue(name, value, pseudonym, redact)
    shown[name] = name in shown ? `${shown[name]}, ${text}` : text
  }
  return { ...shown }
}

const redactValue = (name: string, value: string, pseudonym: string | undefined, redact: Redact): string => {
  if (name === 'authorization') {
    const [scheme = ''] = value.split(' ', 1)
    return value === scheme ? '…' : `${scheme} ${pseudonym ?? '…'}`
  }
  return secretHeaders.has(name) ? '…' : redact(value)
}
