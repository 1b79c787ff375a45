import type { OperationId } from './operations.ts'

/** Failures that any operation may end in: the contract names none (section 7), so each client must expect them. */
const failures = {
  unauthorized: 'The token was refused: 401 or 403',
  invalid: 'The request was refused: 400 or 422',
  'rate-limited': 'There were too many requests: 429',
  'server-error': 'The service failed: 500 or more',
  slow: 'The answer came late',
  disconnected: 'The connection broke, or the answer never ended',
  malformed: 'The body of the answer was not JSON',
} as const

/**
 * What may come of each operation, as far as a client has to cope with it. Coverage counts these.
 */
export const outcomes = {
  createPlant: {
    success: 'The plant was created',
    conflict: 'The id was taken: 409',
    'too-large': 'The body was too large: 413',
    unsupported: 'The body was not declared as JSON: 415',
    ...failures,
  },
  listPlants: {
    success: 'Plants were listed',
    empty: 'There were none',
    cut: 'There were more than limit',
    ...failures,
  },
} as const satisfies Record<OperationId, Readonly<Record<string, string>>>

export type Outcome = { [O in OperationId]: keyof (typeof outcomes)[O] }[OperationId]

/** The outcome that a status stands for; `undefined` for one that clients seldom meet. */
export const outcomeOf = (status: number): Outcome | undefined => {
  if (status < 300) return 'success'
  return status >= 500 ? 'server-error' : byStatus[status]
}

const byStatus: Readonly<Record<number, Outcome>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'unauthorized',
  409: 'conflict',
  413: 'too-large',
  415: 'unsupported',
  422: 'invalid',
  429: 'rate-limited',
}
