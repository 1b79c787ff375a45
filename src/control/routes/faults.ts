import type { Fault } from '../../faults/fault.ts'
import type { RouteTable } from '../route.ts'

/** Read, add and remove faults. */
export const faultRoutes: RouteTable = {
  'GET /faults': {
    summary: 'The active faults, newest first',
    query: {
      pending: {
        description: 'true: only faults that have not yet met all of their requests',
        schema: { type: 'boolean' },
      },
    },
    response: 'Faults',
    run: async ({ instance, query }) => ({
      faults: query.get('pending') === 'true' ? await instance.pending() : await instance.faults(),
    }),
  },
  'POST /faults': {
    summary: 'Adds a fault: requests fail, are delayed or lose their connection',
    body: 'Fault',
    response: 'FaultId',
    run: async ({ instance, body }) => ({ id: await instance.addFault(body as Fault) }),
  },
  'DELETE /faults': {
    summary: 'Removes all faults, including latency and fail rate',
    run: ({ instance }) => instance.clearFaults(),
  },
  'DELETE /faults/{id}': {
    summary: 'Removes one fault',
    run: ({ instance, parameter }) => instance.removeFault(parameter),
  },
}
