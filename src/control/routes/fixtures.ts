import { shippedNames } from '../../fixtures/shipped.ts'
import type { RouteTable } from '../route.ts'

/** The fixtures that plant-mock ships. */
export const fixtureRoutes: RouteTable = {
  'GET /fixtures': {
    summary: 'The names of the fixtures that plant-mock ships',
    response: 'Fixtures',
    run: () => ({ fixtures: shippedNames }),
  },
  'PUT /fixtures/{name}': {
    summary: 'Replaces the fixtures and all plants with shipped fixtures',
    run: async ({ instance, parameter }) => {
      // Only known names reach the file system: a request cannot name a path.
      if (!shippedNames.includes(parameter)) return false
      // Loaded on demand: no other route reads files.
      const { loadFixtureTable } = await import('../../fixtures/load.ts')
      await instance.load(await loadFixtureTable([parameter]))
      return true
    },
  },
}
