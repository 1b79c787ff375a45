import type { Reply } from '../http/reply.ts'

/** Outcomes of any operation: the contract names no failure (section 7), so a client must expect all of them. */
export const failureOutcomes = {
  unauthorized: 'The token was refused: 401 or 403',
  invalid: 'The request was refused: 400 or 422',
  'rate-limited': 'Too many requests were sent: 429',
  'server-error': 'The service failed: 500 or more',
  slow: 'The response was delayed',
  disconnected: 'The connection broke, or the response never ended',
  malformed: 'The body of the response was not JSON',
} as const

/** The outcome of a status, apart from success; `undefined` for statuses that clients seldom meet. */
export const failureOutcome = ({ status }: Pick<Reply, 'status'>): string | undefined =>
  status >= 500 ? 'server-error' : byStatus[status]

const byStatus: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'unauthorized',
  409: 'conflict',
  413: 'too-large',
  415: 'unsupported',
  422: 'invalid',
  429: 'rate-limited',
}
