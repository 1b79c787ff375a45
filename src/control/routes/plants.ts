import type { FixturePlant } from '../../contract/schemas.ts'
import type { CallerRegistry } from '../../journal/callers.ts'
import type { Plants } from '../../mock/plant-mock.ts'
import { PlantMockError } from '../../util/errors.ts'
import { flatMapLazily, mapLazily } from '../../util/lazy.ts'
import { JsonList } from '../json-list.ts'
import { plantSearchIn, plantsIn } from '../request-body.ts'
import type { ControlRequest, Route, RouteTable } from '../route.ts'
import { patchIn, selectionIn } from '../selection.ts'

const pseudonyms: Route['query'] = {
  callers: {
    description: 'pseudonyms: access holds caller-1 and so on instead of tokens',
    schema: { const: 'pseudonyms' },
  },
}

/** The registry of callers, where a request names them by their pseudonyms. */
const callersOf = ({ query, instances: { callers } }: ControlRequest): CallerRegistry | undefined =>
  query.get('callers') === 'pseudonyms' ? callers : undefined

/** Read, append, replace, change and remove plants. */
export const plantRoutes: RouteTable = {
  'GET /plants': {
    summary: 'All plants, with ids and access',
    query: pseudonyms,
    response: 'Plants',
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
  },
  'POST /plants': {
    summary: 'Appends plants; all of them or none',
    body: 'Plants',
    run: ({ instance, body }) => instance.seed(plantsIn(body)),
  },
  'PUT /plants': {
    summary: 'Replaces the fixtures and all plants with these',
    body: 'Plants',
    run: ({ instance, body }) => instance.load(plantsIn(body)),
  },
  'PATCH /plants': {
    summary: 'Changes fields of the plants that match a filter; null removes id or access',
    query: pseudonyms,
    body: 'PlantsPatch',
    response: 'Changed',
    run: async (request) => {
      const callers = callersOf(request)
      const { instance, body } = request
      return { changed: await instance.plants.update(selectionIn(body, callers), patchIn(body, callers)) }
    },
  },
  'DELETE /plants': {
    summary: 'Removes all plants; a reset restores the fixtures',
    run({ instance, body, query }) {
      if (body !== undefined || [...query.keys()].some((name) => name !== 'session'))
        throw new PlantMockError('This removes all plants, and takes no filter. POST /plants/remove takes one.')
      return instance.plants.clear()
    },
  },
  'POST /plants/remove': {
    summary: 'Removes the plants that match a filter',
    query: pseudonyms,
    body: 'PlantsSelection',
    response: 'Changed',
    run: async (request) => ({
      changed: await request.instance.plants.remove(selectionIn(request.body, callersOf(request))),
    }),
  },
  'POST /plants/search': {
    summary:
      'The plants that one caller may access, or that match a filter; tokens are in the body, because URLs are logged',
    body: 'PlantsSearch',
    response: 'Plants',
    run: async ({ instance: { plants }, body }) => new JsonList('plants', await searchPlants(plants, body)),
  },
}

const searchPlants = (plants: Plants, body: unknown): Promise<readonly FixturePlant[]> => {
  const search = plantSearchIn(body)
  return 'caller' in search ? plants.visibleTo(search.caller) : plants.all(search.filter)
}
