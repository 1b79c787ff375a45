import type { RouteTable } from '../route.ts'

/** Loaded on demand: no other route reads files. */
const fixtureFiles = () => import('../../fixtures/load.ts')

/** The fixtures that plant-mock ships. */
export const fixtureRoutes: RouteTable = {
  'GET /fixtures': {
    summary: 'The names of the fixtures that plant-mock ships',
    response: 'Fixtures',
    run: async () => {
      const { shippedFixtures } = await fixtureFiles()
      return { fixtures: await shippedFixtures() }
    },
  },
  'PUT /fixtures/{name}': {
    summary: 'Replaces the fixtures and all plants with shipped fixtures',
    run: async ({ instance, parameter }) => {
      const { loadFixtureTable, shippedFixtures } = await fixtureFiles()
      // Only known names reach the file system: a request cannot name a path.
      if (!(await shippedFixtures()).includes(parameter)) return false
      await instance.load(await loadFixtureTable([parameter]))
      return true
    },
  },
}
