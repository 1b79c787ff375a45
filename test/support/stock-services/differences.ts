import type { stockServices } from './index.ts'

/** Why a mock with the learned assumptions answers otherwise than a service. */
type Difference = {
  /** Matches scenario and exchange. */
  readonly exchanges: RegExp
  /** `forbidden`: the contract forbids the service's answer; `open`: no assumption has a value for it. */
  readonly because: 'forbidden' | 'open'
  readonly reason: string
}

const twoSpaces: Difference = {
  exchanges: /GET \/plants as "Bearer {2}token-of-alice"$/,
  because: 'open',
  reason: 'Two spaces after Bearer are refused (RFC 9110, 11.4 allows several).',
}

const lenientPaths: Difference = {
  exchanges: /GET \/plants\/$|GET \/Plants$/,
  because: 'open',
  reason: 'The router ignores a trailing slash and the case of a path.',
}

const otherSchemes: Difference = {
  exchanges: /as "(?:Token )?token-of-alice"$|as "Bearer token-of-alice token-of-alice"$/,
  because: 'forbidden',
  reason: 'A token counts in another header than Authorization: Bearer <ACCESS_TOKEN> (contract 5).',
}

/** All differences that are known; the test fails for any other. */
export const differences: Readonly<Record<keyof typeof stockServices, readonly Difference[]>> = {
  Express: [
    twoSpaces,
    lenientPaths,
    {
      exchanges: /wrong types: POST (?:null|1|"text"|true)$/,
      because: 'open',
      reason: 'The parser refuses JSON that is neither object nor array, with the status of malformed JSON.',
    },
    {
      exchanges: /not JSON: POST $/,
      because: 'open',
      reason: 'An empty body counts as one without fields, not as malformed JSON.',
    },
    { exchanges: /"name":" ",/, because: 'open', reason: 'A name of white space counts as empty.' },
    {
      exchanges: /tokens: POST .* as ""$/,
      because: 'open',
      reason: 'The body is parsed before the token is checked, so that its failure comes first.',
    },
  ],
  Fastify: [
    otherSchemes,
    {
      exchanges: /"content-type":"text\/plain/,
      because: 'open',
      reason: 'A body of text is invalid (400), while other media types are not supported (415).',
    },
    { exchanges: /limit=Infinity$/, because: 'open', reason: 'Infinity passes as a number.' },
  ],
  Hono: [
    { exchanges: /limit=$/, because: 'open', reason: 'An empty limit is 0.' },
    { exchanges: /"id":(?:0|-7),/, because: 'open', reason: 'Ids of zero or less are refused.' },
    {
      exchanges: /content types: (?:POST .*vnd\.api\+json|GET )/,
      because: 'open',
      reason: 'application/*+json counts as JSON; the lists afterwards have that plant.',
    },
  ],
  'Express with HTML pages': [
    twoSpaces,
    lenientPaths,
    otherSchemes,
    {
      exchanges: /OPTIONS \/plants/,
      because: 'open',
      reason: 'The framework answers OPTIONS, but other methods are 404.',
    },
  ],
  'node:http with paging': [
    twoSpaces,
    otherSchemes,
    {
      exchanges: /tokens: GET \/plants as "Bearer(?: ünknown| "|,|$|"$| token-of-alice,)/,
      because: 'open',
      reason: 'A malformed token returns the status of an unknown one, another scheme that of a missing one.',
    },
    {
      exchanges: /(?:OPTIONS|HEAD) \/plants/,
      because: 'open',
      reason: 'OPTIONS and HEAD are refused like other methods.',
    },
  ],
}
