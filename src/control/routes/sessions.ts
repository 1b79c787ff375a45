import type { RouteTable } from '../route.ts'

/** List and delete sessions. */
export const sessionRoutes: RouteTable = {
  'GET /sessions': {
    summary: 'The sessions, least recently used first',
    response: 'Sessions',
    run: async ({ instances: { sessions } }) => ({ sessions: await sessions.all() }),
  },
  'DELETE /sessions/{id}': {
    summary: 'Deletes a session with its plants, journal, faults and assumptions',
    run: ({ instances: { sessions }, parameter }) => sessions.drop(parameter),
  },
}
