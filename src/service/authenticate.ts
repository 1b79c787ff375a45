import { b64tokenPattern } from '../contract/schemas.ts'

export type Authentication =
  | { readonly token: string }
  | { readonly problem: 'missing-token' | 'invalid-token'; readonly detail: string }

/**
 * Reads the bearer token of an `Authorization` header: the scheme is case-insensitive (RFC 9110, 11.1),
 * one or more spaces follow, and the token is a b64token (RFC 6750, 2.1).
 */
export const authenticate = (authorization = ''): Authentication => {
  const token = credentials.exec(authorization)?.[1]
  return token === undefined ? explain(authorization) : { token }
}

const credentials = new RegExp(`^bearer +(${b64tokenPattern})$`, 'i')

/** What is wrong with a header that has no bearer token in it. */
const explain = (authorization: string): Authentication => {
  if (authorization === '')
    return { problem: 'missing-token', detail: 'Send the header Authorization: Bearer <token>.' }
  const [scheme, token] = authorization.split(/ +(.*)/)
  if (scheme?.toLowerCase() !== 'bearer')
    return {
      problem: 'missing-token',
      detail: 'The Authorization header does not use the Bearer scheme. Send Authorization: Bearer <token>.',
    }
  return {
    problem: 'invalid-token',
    detail: token
      ? 'The token has characters that a bearer token cannot have (RFC 6750, 2.1).'
      : 'Nothing follows the word Bearer.',
  }
}
