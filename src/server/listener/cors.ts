import type { IncomingMessage } from 'node:http'
import { type RawHeaders, tokenPattern } from '../../core/http/headers.ts'
import { allowedMethods, contractPaths } from '../../core/operations/operations.ts'

/** Opens a response to pages of every origin, without credentials (the Fetch standard, 3.2). Sent only when the request has an `Origin`. */
export const corsHeaders: RawHeaders = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', '*']

/** The same for pages of one origin. */
export const corsHeadersFor = (origin: string): RawHeaders => [
  'Access-Control-Allow-Origin',
  origin,
  'Access-Control-Expose-Headers',
  '*',
  'Vary',
  'Origin',
]

/** A browser sends a preflight before it sends `Authorization` to another origin; a preflight has no token. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/**
 * The headers of the response to a preflight: the methods of the contract, and all headers that the page asks for.
 * @param anyMethod Whether to allow any method that the page asks for, because more than the contract is served.
 * @param cors Those that say who may read the response.
 */
export const preflightHeaders = ({ headers }: IncomingMessage, anyMethod: boolean, cors: RawHeaders): string[] => [
  ...cors,
  'Access-Control-Allow-Methods',
  (anyMethod && methodName(headers['access-control-request-method'])) || contractMethods,
  'Access-Control-Allow-Headers',
  headerNames(headers['access-control-request-headers']) ?? 'Authorization, Content-Type, Prefer',
  'Access-Control-Max-Age',
  '600',
  'Vary',
  'Access-Control-Request-Headers',
]

const contractMethods = [...new Set(contractPaths.flatMap(allowedMethods))].sort().join(', ')

const methodName = (requested: string | undefined): string | undefined =>
  requested !== undefined && /^[A-Za-z-]+$/.test(requested) ? requested : undefined

const tokenList = new RegExp(String.raw`^${tokenPattern}(?:\s*,\s*${tokenPattern})*$`)

const headerNames = (requested: string | undefined): string | undefined =>
  requested !== undefined && tokenList.test(requested) ? requested : undefined
