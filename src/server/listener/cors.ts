import type { IncomingMessage } from 'node:http'
import { isOrigin, normalisedOrigin } from '../../core/http/address.ts'
import type { RawHeaders } from '../../core/http/headers.ts'
import { PlantMockError } from '../../util/errors.ts'

/**
 * @param isForwarded True for a response of the upstream, which only pages of allowed origins may read. Default: false.
 */
export type Cors = (req: Pick<IncomingMessage, 'headers'>, isForwarded?: boolean) => RawHeaders

export const corsHeaders: RawHeaders = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', '*']

export const noCors: Cors = () => []

/** Lists each name, because with credentials `*` is an ordinary name of a header (Fetch standard, 3.2.5). */
const exposed =
  'Content-Length, ETag, Link, Location, Plant-Mock-Source, Plant-Mock-Violations, Retry-After, WWW-Authenticate, X-Next'

export const createCors = (allowed: readonly string[] = []): Cors => {
  const invalid = allowed.find((origin) => !isOrigin(origin))
  if (invalid !== undefined)
    throw new PlantMockError(
      `Invalid allowed origin ${JSON.stringify(invalid)}. Write it as https://app.example.com, without a path or wildcard.`,
    )
  const known = new Set(allowed.map(normalisedOrigin))
  return ({ headers: { origin } }, isForwarded = false) => {
    if (origin === undefined) return []
    const ofPage = ['Access-Control-Allow-Origin', origin]
    if (known.has(normalisedOrigin(origin)))
      return [
        ...ofPage,
        'Access-Control-Allow-Credentials',
        'true',
        ...['Access-Control-Expose-Headers', exposed, 'Vary', 'Origin'],
      ]
    if (isForwarded) return [...ofPage, ...corsHeaders.slice(2), 'Vary', 'Origin']
    return known.size === 0 ? corsHeaders : [...corsHeaders, 'Vary', 'Origin']
  }
}
