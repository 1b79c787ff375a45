import type { AssumptionRow } from '../form.ts'

/** The assumptions about bearer tokens. */
export const tokens = {
  'auth.tokens': {
    section: '5',
    rare: true,
    question: 'Which bearer tokens are accepted?',
    relies: 'any bearer token being accepted',
    default: 'any',
    values: {
      any: 'any that is well-formed (RFC 6750, 2.1)',
      listed: 'tokens that the mock was given, and those in the access of plants',
    },
  },
  'auth.status': {
    section: '5, 7',
    question: 'Which status does a missing, malformed or unknown token return?',
    relies: 'an invalid token returning exactly 401',
    default: 401,
    values: { 401: 'Unauthorized, with WWW-Authenticate (RFC 6750, 3)', 403: 'Forbidden' },
    more: { 400: 'Bad Request', 402: 'Payment Required', 404: 'Not Found' },
  },
  'auth.unknownStatus': {
    section: '5, 7',
    question: 'Which status does a well-formed token return that the service does not know?',
    relies: 'an unknown token returning the same status as a missing one',
    default: 'same',
    values: { same: 'that of auth.status' },
    more: {
      400: 'Bad Request',
      401: 'Unauthorized, with WWW-Authenticate (RFC 6750, 3)',
      402: 'Payment Required',
      403: 'Forbidden',
      404: 'Not Found',
    },
  },
  'auth.malformedStatus': {
    section: '5, 7',
    question: 'Which status does an Authorization header return that is not Bearer and a well-formed token?',
    relies: 'a malformed Authorization header returning the same status as a missing one',
    default: 'same',
    values: { same: 'that of auth.status' },
    more: {
      400: 'Bad Request (RFC 6750, 3.1)',
      401: 'Unauthorized, with WWW-Authenticate (RFC 6750, 3)',
      402: 'Payment Required',
      403: 'Forbidden',
      404: 'Not Found',
    },
  },
  'auth.scheme': {
    section: '5',
    question: 'In which case may the word Bearer be written?',
    relies: 'bearer in small letters being accepted',
    default: 'any',
    values: { any: 'in any (RFC 9110, 11.1)' },
    more: { exact: 'as the contract writes it; otherwise the header is malformed' },
  },
  'auth.scope': {
    section: '4.3, 5',
    question: 'Which requests need a token, beside the two operations?',
    relies: 'unknown paths and methods needing no token',
    default: 'operations',
    values: { operations: 'none' },
    more: { path: 'every method of /plants', everywhere: 'every method of every path' },
  },
  'auth.issue': {
    section: '5',
    question: 'How are tokens obtained, how long are they valid, and which scopes do they have?',
    default: 'none',
    values: { none: 'the mock issues none; tokens do not expire and allow both operations' },
  },
} as const satisfies Record<string, AssumptionRow>
