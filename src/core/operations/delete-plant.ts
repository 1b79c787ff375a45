import { type Operation, queryNames } from './operation.ts'

const section = '4.3'

/** Sample documents of the service contain this operation, although the contract does not. */
export const deletePlant: Operation = {
  method: 'DELETE',
  path: '/plants/{id}',
  section,
  summary: 'Remove a plant from the store',
  sample: { path: '/plants/1' },
  effect: 'removes',
  servedBy: 'operation.delete',
  missingBy: 'delete.missingStatus',
  checkRequest: ({ query, body }) => [
    ...queryNames(query).map((name) => ({ section, detail: `A delete has no query parameter ${name}.` })),
    ...(body === undefined || body === '' ? [] : [{ section, detail: 'A delete has no request body.' }]),
  ],
}
