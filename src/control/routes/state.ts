import { assumptionRegistry } from '../../assumptions/registry.ts'
import type { ControlRequest, RouteTable } from '../route.ts'

/** The state of the mock instance as a whole. */
export const stateRoutes: RouteTable = {
  'GET /state': {
    summary: 'Counts of plants, requests, violations, faults and sessions; the assumptions that are not default',
    response: 'State',
    run: (request) => summarize(request),
  },
  'POST /reset': {
    summary: 'Restores the initial fixtures, assumptions and faults, and clears the journal',
    run: ({ instance }) => instance.reset(),
  },
  'GET /events': {
    summary: 'Server-sent events: "requests" with new exchanges, "change" with the part that was changed',
    response: 'Events',
    run: ({ instance, feeds }) => feeds.of(instance),
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
