import type { Token } from '../contract/caller.ts'
import { b64tokenPattern } from '../contract/schemas.ts'

/** The result of reading an `Authorization` header. */
export type Credentials =
  | { readonly token: Token }
  | {
      readonly token: undefined
      readonly problem: 'missing-token' | 'invalid-token'
      readonly detail: string
    }

/**
 * Reads the bearer token of an `Authorization` header: the scheme is case-insensitive (RFC 9110, 11.1), one or more
 * spaces follow, and the token is a b64token (RFC 6750, 2.1).
 */
export const authenticate = (authorization = ''): Credentials => {
  const token = credentials.exec(authorization)?.[1] as Token | undefined
  return token === undefined ? refusal(authorization) : { token }
}

const credentials = new RegExp(`^bearer +(${b64tokenPattern})$`, 'i')

const refusal = (authorization: string): Credentials => {
  if (authorization === '') return missing('Send the header Authorization: Bearer <token>.')
  const [scheme, token] = authorization.split(/ +(.*)/)
  if (scheme?.toLowerCase() !== 'bearer')
    return missing('The Authorization header has another scheme. Send Authorization: Bearer <token>.')
  return {
    token: undefined,
    problem: 'invalid-token',
    detail: token
      ? 'The token has characters that a bearer token cannot have (RFC 6750, 2.1).'
      : 'The Authorization header has no token after Bearer.',
  }
}

const missing = (detail: string): Credentials => ({ token: undefined, problem: 'missing-token', detail })
