import type { IncomingMessage } from 'node:http'
import { allowedMethods } from '../../operations/operations.ts'

/**
 * Headers for a page of any origin, without credentials (the Fetch standard, 3.2). Sent to requests that come
 * from a page alone, that is with an `Origin`.
 */
export const corsHeaders: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  '*',
]

/** A browser asks before it sends `Authorization` elsewhere; it sends no token with the question. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined

/**
 * What a preflight is answered: every method of the contract, and whichever headers the page asks for. Where more
 * than the contract is served, whichever method it asks for too.
 */
export const preflightHeaders = ({ headers }: IncomingMessage, anyMethod: boolean): readonly string[] => [
  ...corsHeaders,
  'Access-Control-Allow-Methods',
  (anyMethod && methodName(headers['access-control-request-method'])) || allowedMethods,
  'Access-Control-Allow-Headers',
  headerNames(headers['access-control-request-headers']) ?? 'Authorization, Content-Type',
  'Access-Control-Max-Age',
  '600',
  'Vary',
  'Access-Control-Request-Headers',
]

const methodName = (asked: string | undefined): string | undefined =>
  asked !== undefined && /^[A-Za-z-]+$/.test(asked) ? asked : undefined

const headerNames = (asked: string | undefined): string | undefined =>
  asked !== undefined && /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/.test(asked)
    ? asked
    : undefined
