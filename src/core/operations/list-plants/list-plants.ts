import type { Operation } from '../operation.ts'
import { failureOutcome, failureOutcomes } from '../outcomes.ts'
import { checkRequest, checkResponse } from './check.ts'
import { handle } from './handle.ts'

/** `GET /plants` (contract.md, 4.2). */
export const listPlants = {
  method: 'GET',
  path: '/plants',
  section: '4.2',
  summary: 'List the plants that the caller may access',
  handle,
  checkRequest,
  checkResponse,
  outcomes: {
    complete: 'Plants were listed, all that there are',
    empty: 'The list was empty',
    cut: 'Plants were listed, as many as limit allows',
    ...failureOutcomes,
  },
  outcomeOf(reply) {
    if (reply.status >= 300) return failureOutcome(reply)
    if (reply.meta.truncated) return 'cut'
    return reply.body === '[]' ? 'empty' : 'complete'
  },
} as const satisfies Operation
