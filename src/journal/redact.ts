import type { Caller } from '../contract/schemas.ts'
import { authenticate } from '../service/authenticate.ts'

/**
 * What is shown of a request to people and files: no token, no other credentials.
 */

/** Headers whose values are credentials. */
const secret = new Set(['proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'plant-mock-control-key'])

/** Shorter tokens are words, such as `alice`: they may stand in a plant's name, and are no secrets. */
export const shortestSecret = 16

/** The value of a header, from names and values in turn; several fields of one name are joined (RFC 9110, 5.3). */
export const headerOf = (headers: readonly string[], name: string): string | undefined => {
  const values: string[] = []
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i]?.toLowerCase() === name) values.push(headers[i + 1] ?? '')
  return values.length === 0 ? undefined : values.join(', ')
}

/** The bearer token among headers, if there is a well-formed one. */
export const bearerIn = (headers: readonly string[]): Caller | undefined => {
  const credentials = authenticate(headerOf(headers, 'authorization'))
  return 'token' in credentials ? credentials.token : undefined
}

/** Puts the caller's pseudonym wherever the token itself stands, and hides tokens in addresses (RFC 6750, 2.3). */
export const tokenHider = (
  token: Caller | undefined,
  nameOf: (caller: Caller) => string,
): ((text: string) => string) => {
  const inAddress = (text: string) => text.replaceAll(/(access_token=)[^&\s"]*/gi, '$1…')
  if (token === undefined || token.length < shortestSecret) return inAddress
  return (text) => (text.includes(token) ? inAddress(text.replaceAll(token, nameOf(token))) : inAddress(text))
}

/** Headers by their names in lower case. Of `Authorization`, the scheme and the pseudonym are shown. */
export const shownHeaders = (
  headers: readonly string[],
  caller: string | undefined,
  hide: (text: string) => string,
): Readonly<Record<string, string>> => {
  const shown: Record<string, string> = Object.create(null)
  for (let i = 0; i < headers.length; i += 2) {
    const name = (headers[i] ?? '').toLowerCase()
    const value = shownValue(name, headers[i + 1] ?? '', caller, hide)
    shown[name] = name in shown ? `${shown[name]}, ${value}` : value
  }
  return { ...shown }
}

const shownValue = (
  name: string,
  value: string,
  caller: string | undefined,
  hide: (text: string) => string,
): string => {
  if (name === 'authorization') {
    const [scheme = ''] = value.split(' ', 1)
    return value === scheme ? '…' : `${scheme} ${caller ?? '…'}`
  }
  return secret.has(name) ? '…' : hide(value)
}
