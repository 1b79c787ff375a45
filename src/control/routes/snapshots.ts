import type { RouteTable } from '../route.ts'

/** Take, restore and delete snapshots. */
export const snapshotRoutes: RouteTable = {
  'GET /snapshots': {
    summary: 'The names of the snapshots',
    response: 'Snapshots',
    run: ({ instance: { snapshots } }) => ({ snapshots: snapshots.names() }),
  },
  'POST /snapshots': {
    summary: 'Takes a snapshot of plants and assumptions under a generated name',
    response: 'Snapshot',
    run: async ({ instance: { snapshots } }) => ({ name: await snapshots.take() }),
  },
  'PUT /snapshots/{name}': {
    summary: 'Takes a snapshot of plants and assumptions under this name',
    response: 'Snapshot',
    run: async ({ instance: { snapshots }, parameter }) => ({ name: await snapshots.take(parameter) }),
  },
  'POST /snapshots/{name}/restore': {
    summary: 'Restores a snapshot',
    run: ({ instance: { snapshots }, parameter }) => snapshots.restore(parameter),
  },
  'DELETE /snapshots/{name}': {
    summary: 'Deletes a snapshot',
    run: ({ instance: { snapshots }, parameter }) => snapshots.drop(parameter),
  },
}
