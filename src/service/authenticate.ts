import { isBearerToken } from '../contract/schemas.ts'

export type Authentication =
  | { readonly token: string }
  | { readonly problem: 'missing-token' | 'invalid-token'; readonly detail: string }

/**
 * Reads the bearer token of an `Authorization` header: the scheme is case-insensitive (RFC 9110, 11.1),
 * one or more spaces follow, and the token is a b64token (RFC 6750, 2.1).
 */
export const authenticate = (authorization: string | undefined): Authentication => {
  if (authorization === undefined || authorization === '')
    return { problem: 'missing-token', detail: 'Send the header Authorization: Bearer <token>.' }
  const match = /^(\S+)(?: +(.*))?$/.exec(authorization)
  if (match?.[1]?.toLowerCase() !== 'bearer')
    return {
      problem: 'missing-token',
      detail: 'The Authorization header does not use the Bearer scheme. Send Authorization: Bearer <token>.',
    }
  const token = match[2] ?? ''
  return isBearerToken(token)
    ? { token }
    : {
        problem: 'invalid-token',
        detail:
          token === ''
            ? 'Nothing follows the word Bearer.'
            : 'The token has characters that a bearer token cannot have (RFC 6750, 2.1).',
      }
}
