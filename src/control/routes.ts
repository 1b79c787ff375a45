import { assumptionsFromSeed } from '../assumptions/from-seed.ts'
import { assumptionRegistry, defaultAssumptions } from '../assumptions/registry.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import { contractSections } from '../contract/sections.ts'
import type { Fault } from '../faults/fault.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { filterFields, parseFilter } from '../journal/filter.ts'
import type { MockInstance } from '../mock/instance.ts'
import { recordedViolations } from '../mock/instance-api.ts'
import type { Plants } from '../mock/plant-mock.ts'
import { PlantMockError } from '../util/errors.ts'
import { flatMapLazily, mapLazily } from '../util/lazy.ts'
import { JsonList } from './json-list.ts'
import { filterIn, objectIn, plantSearchIn, plantsIn, seedIn } from './request-body.ts'
import type { ControlRequest, Route } from './route.ts'
import { patchIn, selectionIn } from './selection.ts'
import { repeatedRequest, sendRequest, sentRequestIn } from './send.ts'

const pseudonyms: Route['query'] = {
  callers: {
    description: 'pseudonyms: access holds caller-1 and so on instead of tokens',
    schema: { const: 'pseudonyms' },
  },
}

/** The registry of callers, where a request names them by their pseudonyms. */
const callersOf = ({ query, instances: { callers } }: ControlRequest): CallerRegistry | undefined =>
  query.get('callers') === 'pseudonyms' ? callers : undefined

/** Every route of the control interface. Dispatch, OpenAPI document, index and guide derive from this table. */
const table: Readonly<Record<`${Route['method']} /${string}`, Omit<Route, 'method' | 'path'>>> = {
  'GET /': {
    summary: 'Lists these routes',
    response: 'Index',
    run: ({ version }) => ({
      name: 'plant-mock',
      version,
      routes: routes.map(({ method, path, summary }) => ({ method, path, summary })),
    }),
  },
  'GET /health': {
    summary: 'Says that the server is ready; needs no key, and is there on every address',
    isOpen: true,
    response: 'Health',
    run: () => ({ ready: true }),
  },
  'GET /openapi.json': {
    summary: 'The OpenAPI document of these routes',
    response: 'Document',
    run: async ({ version }) => {
      const { controlDocument } = await import('./openapi.ts')
      return controlDocument(routes, version)
    },
  },
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

  'GET /plants': {
    summary: 'All plants, with ids and access',
    query: pseudonyms,
    response: 'Plants',
    run: async (request) => {
      const plants = await request.instance.eachPlant()
      const callers = callersOf(request)
      if (callers === undefined) return new JsonList('plants', plants)
      const withPseudonyms = ({ access, ...plant }: FixturePlant) => ({
        ...plant,
        ...(access && { access: access.map(callers.pseudonymOf) }),
      })
      return new JsonList('plants', mapLazily(plants, withPseudonyms))
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

  'GET /snapshots': {
    summary: 'The names of the snapshots',
    response: 'Snapshots',
    run: ({ instance, snapshots }) => ({ snapshots: snapshots.names(instance) }),
  },
  'POST /snapshots': {
    summary: 'Takes a snapshot of plants and assumptions under a generated name',
    response: 'Snapshot',
    run: async ({ instance, snapshots }) => ({ name: await snapshots.take(instance) }),
  },
  'PUT /snapshots/{name}': {
    summary: 'Takes a snapshot of plants and assumptions under this name',
    response: 'Snapshot',
    run: async ({ instance, snapshots, parameter }) => ({ name: await snapshots.take(instance, parameter) }),
  },
  'POST /snapshots/{name}/restore': {
    summary: 'Restores a snapshot',
    run: ({ instance, snapshots, parameter }) => snapshots.restore(instance, parameter),
  },
  'DELETE /snapshots/{name}': {
    summary: 'Deletes a snapshot',
    run: ({ instance, snapshots, parameter }) => snapshots.drop(instance, parameter),
  },

  'GET /requests': {
    summary: 'The journal, oldest request first',
    query: filterFields,
    response: 'Entries',
    run: ({ instance, query }) => new JsonList('requests', instance.entries(parseFilter(Object.fromEntries(query)))),
  },
  'GET /requests/{id}': {
    summary: 'One request of the journal with its response',
    response: 'Entry',
    run: ({ instance, parameter }) => entryOf(instance, parameter),
  },
  'POST /requests': {
    summary: 'Sends a request to the service, as a caller by pseudonym or token; returns the id of its journal entry',
    body: 'SentRequest',
    response: 'RequestId',
    run: ({ instance, instances: { callers }, body }) => sendRequest(sentRequestIn(body), instance, callers),
  },
  'POST /requests/{id}/replay': {
    summary: 'Sends a request of the journal again, as its caller; returns the id of the new entry',
    response: 'RequestId',
    run: ({ instance, instances: { callers }, parameter }) => {
      const entry = entryOf(instance, parameter)
      return entry && sendRequest(repeatedRequest(entry), instance, callers)
    },
  },
  'POST /requests/search': {
    summary: 'The requests that match a filter; it may hold a token, because it is in the body',
    body: 'Filter',
    response: 'Entries',
    run: ({ instance, body }) => new JsonList('requests', instance.entries(filterIn(body))),
  },
  'POST /requests/count': {
    summary: 'The number of requests that match a filter',
    body: 'Filter',
    response: 'Count',
    run: async ({ instance, body }) => ({ count: await instance.requests.count(filterIn(body)) }),
  },
  'DELETE /requests': {
    summary: 'Clears the journal',
    run: ({ instance }) => instance.requests.clear(),
  },
  'GET /violations': {
    summary: 'The violations of the contract in the journal, oldest first',
    response: 'Violations',
    run: ({ instance }) =>
      new JsonList('violations', flatMapLazily(instance.entries({ violating: true }), recordedViolations)),
  },

  'GET /faults': {
    summary: 'The active faults, newest first',
    query: {
      pending: {
        description: 'true: only faults that have not yet met all of their requests',
        schema: { type: 'boolean' },
      },
    },
    response: 'Faults',
    run: async ({ instance, query }) => ({
      faults: query.get('pending') === 'true' ? await instance.pending() : await instance.faults(),
    }),
  },
  'POST /faults': {
    summary: 'Adds a fault: requests fail, are delayed or lose their connection',
    body: 'Fault',
    response: 'FaultId',
    run: ({ instance, body }) => ({ id: instance.addFault(body as Fault) }),
  },
  'DELETE /faults': {
    summary: 'Removes all faults, including latency and fail rate',
    run: ({ instance }) => instance.clearFaults(),
  },
  'DELETE /faults/{id}': {
    summary: 'Removes one fault',
    run: ({ instance, parameter }) => instance.removeFault(parameter),
  },

  'GET /assumptions': {
    summary: 'The registry of assumptions with the values in force',
    response: 'Assumptions',
    run: (request) => describeAssumptions(request),
  },
  'PATCH /assumptions': {
    summary: 'Changes assumptions from the next request on',
    body: 'Assume',
    run: ({ instance, body }) =>
      instance.assume(objectIn(body, 'Send an object of assumptions, such as {"create.status":200}.')),
  },
  'POST /assumptions/seed': {
    summary: 'Chooses a value for every assumption from a seed; rare ones become default',
    body: 'Seed',
    response: 'Assume',
    run: async ({ instance, body }) => {
      const assume = { ...defaultAssumptions, ...assumptionsFromSeed(seedIn(body)) }
      await instance.assume(assume)
      return assume
    },
  },

  'GET /coverage': {
    summary: 'The outcomes of each operation, and how many responses had them',
    response: 'Coverage',
    run: async ({ instance }) => ({ coverage: await instance.coverage() }),
  },
  'DELETE /coverage': {
    summary: 'Resets the coverage',
    run: ({ instance }) => instance.clearCoverage(),
  },

  'GET /sessions': {
    summary: 'The sessions, least recently used first',
    response: 'Sessions',
    run: async ({ instances: { sessions } }) => ({ sessions: await sessions.all() }),
  },
  'DELETE /sessions/{id}': {
    summary: 'Deletes a session with its plants, journal, faults and assumptions',
    run: ({ instances: { sessions }, parameter }) => sessions.drop(parameter),
  },

  'GET /contract': {
    summary: 'The OpenAPI document of the service under the assumptions in force',
    response: 'Document',
    run: async ({ instance, version }) => {
      const { openApiDocument } = await import('../operations/openapi.ts')
      return openApiDocument(instance.inForce, version)
    },
  },
  'GET /contract/sections': {
    summary: 'The sections of the contract that can be cited, with their text',
    response: 'Sections',
    run: () => ({ sections: contractSections() }),
  },
}

export const routes: readonly Route[] = Object.entries(table).map(([key, row]) => {
  const [method, path = ''] = key.split(' ')
  return { method: method as Route['method'], path, ...row }
})

/** The routes as a Markdown table, for the guide of the control interface. */
export const routeTable = (): string =>
  [
    ['route', 'description'],
    ['-', '-'],
    ...routes.map(({ method, path, summary }) => [`\`${method} ${path}\``, summary]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

const searchPlants = (plants: Plants, body: unknown): Promise<readonly FixturePlant[]> => {
  const search = plantSearchIn(body)
  return 'caller' in search ? plants.visibleTo(search.caller) : plants.all(search.filter)
}

const entryOf = (instance: MockInstance, id: string): JournalEntry | undefined =>
  /^\d{1,15}$/.test(id) ? instance.entry(Number(id)) : undefined

/** Loaded on demand: no other route reads files. */
const fixtureFiles = () => import('../fixtures/load.ts')

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

const describeAssumptions = ({ instance: { inForce }, provenance, startedWith }: ControlRequest) => ({
  values: inForce,
  registry: assumptionRegistry.map((row) => {
    const value = inForce[row.id]
    return {
      id: row.id,
      section: row.section,
      question: row.question,
      default: row.default,
      alternatives: row.alternatives,
      further: row.further,
      ...(row.form !== undefined && { form: row.form }),
      samples: row.samples,
      ...(row.rare && { rare: true }),
      value,
      ...(provenance[row.id] !== undefined && startedWith[row.id] === value && { provenance: provenance[row.id] }),
      meaning: row.meaning(value),
    }
  }),
})
