import type { FixturePlant } from '../../../core/contract/schemas.ts'
import { type CallerRegistry, sharedPseudonym } from '../../../core/journal/callers.ts'
import { plantsHint } from '../../../core/mock/commands.ts'
import { checkFixtures, type Selection } from '../../../core/mock/plant-changes.ts'
import { equalTo, type PlantFields, parseFields } from '../../../core/mock/plant-filter.ts'
import { PlantMockError } from '../../../util/errors.ts'
import { checkMembers, isJsonObject, memberIn, objectIn } from '../../../util/json.ts'
import { flatMapLazily, mapLazily } from '../../../util/lazy.ts'
import { type ControlRequest, JsonList, ownRoute, type RouteTable } from '../route.ts'

const callersOf = ({ query, instances: { callers } }: ControlRequest): CallerRegistry | undefined =>
  query.get('callers') === 'pseudonyms' ? callers : undefined

export const plantRoutes: RouteTable = {
  ...ownRoute('GET /plants', {
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
  ...ownRoute('POST /plants', {
    run: (request) => {
      const plants = memberIn<FixturePlant[]>(request.body, 'plants', Array.isArray, plantsHint)
      const callers = callersOf(request)
      return request.instance.run('seed', {
        plants: checkFixtures(plants.map((plant) => withTokens(plant, callers) as FixturePlant)),
      })
    },
  }),
  ...ownRoute('PATCH /plants', {
    run: async (request) => {
      const { instance, body } = request
      const selection = await selectionIn(request, ['patch'])
      const patch = parseFields(withTokens(objectIn(body, hint).patch, callersOf(request)), 'patch')
      return { changed: await instance.run('update', { ...selection, patch }) }
    },
  }),
  ...ownRoute('DELETE /plants', {
    run({ instance, body, query }) {
      if (body !== undefined || [...query.keys()].some((name) => name !== 'session'))
        throw new PlantMockError(
          'DELETE /plants takes no filter, because it removes all plants. Use POST /plants/remove with a filter.',
        )
      return instance.plants.clear()
    },
  }),
  ...ownRoute('POST /plants/remove', {
    run: async (request) => ({ changed: await request.instance.run('remove', await selectionIn(request)) }),
  }),
  ...ownRoute('POST /plants/search', {
    run: async ({ instance, body }) => new JsonList('plants', await instance.run('searchPlants', plantSearchIn(body))),
  }),
}

const plantSearchIn = (body: unknown): { readonly caller: string } | { readonly filter: PlantFields } => {
  const hint = 'Send the token of a caller such as {"caller":"alice"}, or {"filter":{…}} with values of fields.'
  const { caller, filter } = objectIn(body, hint)
  if (filter === undefined)
    return { caller: memberIn(body, 'caller', (value): value is string => typeof value === 'string', hint) }
  if (caller !== undefined) throw new PlantMockError(hint)
  return { filter: filter as PlantFields }
}

const hint = 'Send {"filter":{…}} with values of fields, or {"plants":[…]} with the plants themselves.'

const selectionIn = async (request: ControlRequest, others: readonly string[] = []): Promise<Selection> => {
  const callers = callersOf(request)
  const members = objectIn(request.body, hint)
  checkMembers(members, ['filter', 'plants', ...others], hint)
  const { filter, plants } = members
  if ((filter === undefined) === (plants === undefined)) throw new PlantMockError(hint)
  if (plants === undefined) return { filter: parseFields(withTokens(objectIn(filter, hint), callers), 'filter') }
  if (!Array.isArray(plants)) throw new PlantMockError(hint)
  const isWanted = equalTo(checkFixtures(plants), (access) =>
    callers === undefined ? access : access.map(callers.pseudonymOf),
  )
  return { plants: [...(await request.instance.eachPlant())].filter(isWanted) }
}

const withTokens = (fields: unknown, callers: CallerRegistry | undefined): unknown => {
  if (callers === undefined || !isJsonObject(fields) || !Array.isArray(fields.access)) return fields
  if (fields.access.includes(sharedPseudonym))
    throw new PlantMockError(`${sharedPseudonym} stands for several callers. Use the token of one caller.`)
  const tokenOf = (name: unknown) => (typeof name === 'string' ? callers.keyOfPseudonym(name) : undefined) ?? name
  return { ...fields, access: fields.access.map(tokenOf) }
}
