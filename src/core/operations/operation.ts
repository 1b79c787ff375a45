import type { ViolationFinding } from '../contract/violation.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Reply } from '../http/reply.ts'

/** One operation of the contract. The table of operations is in `operations.ts`. */
export type Operation = {
  readonly method: string
  /** Relative to the base URL, with `{parameter}` for a variable segment. */
  readonly path: string
  readonly section: string
  readonly summary: string
  /** Violations in a request, except in its credentials. Open points of the contract are not violations. */
  readonly checkRequest: (request: CheckedRequest) => readonly ViolationFinding[]
  /**
   * Violations in the JSON body of a successful response. `isRepeated`: an earlier create had the same id. `hasTag`:
   * whether every plant of this name was created with a tag.
   */
  readonly checkResponse: (
    body: unknown,
    request: Pick<CheckedRequest, 'query' | 'body'> & {
      readonly isRepeated?: boolean
      readonly hasTag?: (name: unknown) => boolean
    },
  ) => readonly ViolationFinding[]
  /** The results that a client has to handle, with their meaning; coverage counts them. */
  readonly outcomes: Readonly<Record<string, string>>
  /** The outcome of a reply; `undefined` if `outcomes` lacks it. */
  readonly outcomeOf: (reply: Reply) => string | undefined
}

/** The parts of a request that are checked for violations. A body is checked only if its text is known. */
export type CheckedRequest = Pick<Exchange, 'method' | 'path' | 'query' | 'header' | 'body'>

/** Outcomes of any operation. The contract names no failure (section 7), so a client must expect every failure. */
export const failureOutcomes = {
  unauthorized: 'The token was refused: 401 or 403',
  invalid: 'The request was refused: 400 or 422',
  'rate-limited': 'Too many requests were sent: 429',
  'server-error': 'The service failed: 500 or more',
  slow: 'The response was delayed',
  disconnected: 'The connection broke, or the response never ended',
  malformed: 'The body of the response was not JSON',
} as const

/** The outcome of a failure's status; `undefined` for statuses that clients rarely meet. */
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

export const queryNames = (query: string): readonly string[] => [...new Set(new URLSearchParams(query).keys())]
