import type { Operation } from '../operation.ts'
import { failureOutcome, failureOutcomes } from '../outcomes.ts'
import { checkRequest, checkResponse } from './check.ts'
import { handle } from './handle.ts'

/** `POST /plants` (contract.md, 4.1). */
export const createPlant = {
  method: 'POST',
  path: '/plants',
  section: '4.1',
  summary: 'Add a plant to the store',
  handle,
  checkRequest,
  checkResponse,
  outcomes: {
    success: 'The plant was created',
    conflict: 'The id was taken: 409',
    'too-large': 'The body was too large: 413',
    unsupported: 'The body was not declared as plain JSON: 415',
    ...failureOutcomes,
  },
  outcomeOf: (reply) => (reply.status < 300 ? 'success' : failureOutcome(reply)),
} as const satisfies Operation
