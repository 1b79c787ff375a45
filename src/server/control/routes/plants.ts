import type { FixturePlant } from '../../../core/contract/schemas.ts'
import type { CallerRegistry } from '../../../core/journal/callers.ts'
import { PlantMockError } from '../../../util/errors.ts'
import { flatMapLazily, mapLazily } from '../../../util/lazy.ts'
import { JsonList } from '../json-list.ts'
import { plantSearchIn } from '../request-body.ts'
import type { ControlRequest, Route, RouteTable } from '../route.ts'
import { patchIn, selectionIn } from '../selection.ts'
import { ownRoute } from './commands.ts'

const pseudonyms: Route['query'] = {
  callers: {
    description: 'pseudonyms: access holds caller-1 and so on instead of tokens',
    schema: { const: 'pseudonyms' },
  },
}

/** The registry of callers, where a request names them by their pseudonyms. */
const callersOf = ({ query, instances: { callers } }: ControlRequest): CallerRegistry | undefined =>
  query.get('callers') === 'pseudonyms' ? callers : undefined

/** The routes of plants that stream a long list, or name callers by their pseudonyms. */
export const plantRoutes: RouteTable = {
  ...ownRoute('GET /plants', {
    query: pseudonyms,
    run: async (request) => {
      const { instance, instances } = request
      const callers = callersOf(request)
      if (callers === undefined) return new JsonList('plants', await instance.eachPlant())
      await instances.nameCallers(flatMapLazily(await instance.eachPlant(), ({ access = [] }) => access))
      const withPseudonyms = ({ access, ...plant }: FixturePlant) => ({
        ...plant,
        ...(access && { access: access.map(callers.pseudonymOf) }),
      })
      return new JsonList('plants', mapLazily(await instance.eachPlant(), withPseudonyms))
    },
  }),
  ...ownRoute('PATCH /plants', {
    query: pseudonyms,
    run: async (request) => {
      const callers = callersOf(request)
      const { instance, body } = request
      return { changed: await instance.plants.update(selectionIn(body, callers, ['patch']), patchIn(body, callers)) }
    },
  }),
  ...ownRoute('DELETE /plants', {
    run({ instance, body, query }) {
      if (body !== undefined || [...query.keys()].some((name) => name !== 'session'))
        throw new PlantMockError('This removes all plants, and takes no filter. POST /plants/remove takes one.')
      return instance.plants.clear()
    },
  }),
  ...ownRoute('POST /plants/remove', {
    query: pseudonyms,
    run: async (request) => ({
      changed: await request.instance.plants.remove(selectionIn(request.body, callersOf(request))),
    }),
  }),
  ...ownRoute('POST /plants/search', {
    run: async ({ instance, body }) => new JsonList('plants', await instance.run('searchPlants', plantSearchIn(body))),
  }),
}
