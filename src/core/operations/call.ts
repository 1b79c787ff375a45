import type { OperationId } from '../assumptions/operation-ids.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Token } from '../contract/caller.ts'
import { b64tokenPattern, isBearerToken } from '../contract/schemas.ts'
import type { ShownViolations } from '../contract/violation.ts'
import type { ReceivedRequest } from '../http/exchange.ts'
import type { ReplyMeta } from '../http/reply.ts'
import { findServed } from './operations.ts'

export type Credentials =
  | { readonly token: Token; readonly isExact: boolean }
  | { readonly token: undefined; readonly problem: 'missing-token' | 'invalid-token'; readonly detail: string }

/** Ignores the case of `Bearer` and allows several spaces after it (RFC 9110, 11.1). */
export const authenticate = (authorization = ''): Credentials => {
  const isExact = authorization.startsWith('Bearer ')
  const usual = isExact ? authorization.slice(7) : ''
  const token = isBearerToken(usual) ? usual : credentials.exec(authorization)?.[1]
  return token === undefined ? refusal(authorization) : { token: token as Token, isExact }
}

const credentials = new RegExp(`^bearer +(${b64tokenPattern})$`, 'i')

const anExample = 'Authorization: Bearer alice (by default, any token is accepted)'

const refusal = (authorization: string): Credentials => {
  if (authorization === '') return missing(`Send the header ${anExample}.`)
  const [scheme, token] = authorization.split(/ +(.*)/)
  if (scheme?.toLowerCase() !== 'bearer')
    return missing(`The Authorization header has another scheme. Send ${anExample}.`)
  return {
    token: undefined,
    problem: 'invalid-token',
    detail: token
      ? 'The token has characters that a bearer token cannot have (RFC 6750, 2.1).'
      : 'The Authorization header has no token after Bearer.',
  }
}

const missing = (detail: string): Credentials => ({ token: undefined, problem: 'missing-token', detail })

export type ResolvedRequest = {
  readonly received: ReceivedRequest
  readonly operation: OperationId | undefined
  readonly credentials: Credentials
  /** The violations found before the request was redacted. If `undefined`, the journal checks the redacted request. */
  readonly violations?: ShownViolations
}

export const resolveRequest = (received: ReceivedRequest, assumptions?: Assumptions): ResolvedRequest => ({
  received,
  operation: findServed(received, assumptions),
  credentials: authenticate(received.header('authorization')),
})

export const callMeta = ({ operation, credentials }: ResolvedRequest): Pick<ReplyMeta, 'operation' | 'caller'> => ({
  operation,
  caller: credentials.token,
})
