import { assumptionRegistry } from '../../assumptions/registry.ts'
import type { ControlRequest, RouteTable } from '../route.ts'
import { ownRoute } from './commands.ts'

/** The state of the mock instance as a whole. */
export const stateRoutes: RouteTable = {
  'GET /state': {
    summary: 'Counts of plants, requests, violations, faults and sessions; the assumptions that are not default',
    response: 'State',
    run: (request) => summarize(request),
  },
  'GET /events': {
    summary: 'Server-sent events: "requests" with new exchanges, "change" with the part that was changed',
    response: 'Events',
    run: ({ instance, feeds }) => feeds.of(instance),
  },
}

/** The variant for pending faults is a query of the same route. */
export const faultRoutes: RouteTable = ownRoute('GET /faults', {
  query: {
    pending: {
      description: 'true: only faults that have not yet met all of their requests',
      schema: { type: 'boolean' },
    },
  },
  run: async ({ instance, query }) => ({
    faults: query.get('pending') === 'true' ? await instance.pending() : await instance.faults(),
  }),
})

export const snapshotRoutes: RouteTable = {
  'PUT /snapshots/{name}': {
    summary: 'Takes a snapshot of plants and assumptions under this name',
    response: 'Snapshot',
    run: async ({ instance, parameter }) => ({ name: await instance.run('takeSnapshot', parameter) }),
  },
}

const summarize = async ({ instance, session, version, instances: { sessions } }: ControlRequest) => ({
  name: 'plant-mock',
  version,
  ...(session !== undefined && { session }),
  plants: await instance.countPlants(),
  requests: await instance.requests.count(),
  violations: instance.countViolations(),
  faults: (await instance.faults()).length,
  sessions: (await sessions.all()).length,
  assumed: Object.fromEntries(
    assumptionRegistry
      .filter((row) => instance.inForce[row.id] !== row.default)
      .map(({ id }) => [id, instance.inForce[id]]),
  ),
})
