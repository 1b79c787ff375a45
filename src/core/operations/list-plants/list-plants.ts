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
    success: 'Plants were listed',
    empty: 'The list was empty',
    cut: 'The list was cut at limit',
    ...failureOutcomes,
  },
  outcomeOf(reply) {
    if (reply.status >= 300) return failureOutcome(reply)
    if (reply.meta.isCut) return 'cut'
    return reply.body === '[]' ? 'empty' : 'success'
  },
} as const satisfies Operation
