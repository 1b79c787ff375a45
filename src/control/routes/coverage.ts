import type { RouteTable } from '../route.ts'

/** The outcomes that clients met. */
export const coverageRoutes: RouteTable = {
  'GET /coverage': {
    summary: 'The outcomes of each operation, and how many responses had them',
    response: 'Coverage',
    run: async ({ instance }) => ({ coverage: await instance.coverage() }),
  },
  'DELETE /coverage': {
    summary: 'Resets the coverage',
    run: ({ instance }) => instance.clearCoverage(),
  },
}
