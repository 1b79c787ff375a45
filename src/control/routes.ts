import { type Assumptions, assumptionRegistry, defaultAssumptions } from '../assumptions/registry.ts'
import { assumptionsFromSeed } from '../assumptions/variations.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import type { Fault } from '../faults/fault.ts'
import type { RequestFilter } from '../journal/entry.ts'
import type { MockInstance } from '../mock/instance.ts'
import type { Sessions } from '../mock/plant-mock.ts'
import { PlantMockError } from '../util/errors.ts'
import { readFilter } from './filter.ts'
import type { SchemaName } from './shapes.ts'
import type { Snapshots } from './snapshots.ts'

/** What a route is asked, and what it works with. */
export type Call = {
  /** The instance of the session that the request chose. */
  readonly instance: MockInstance
  /** The id of that session; left out for the mock's own instance. */
  readonly session: string | undefined
  readonly sessions: Sessions
  readonly snapshots: Snapshots
  readonly version: string
  readonly pseudonym: (caller: string) => string
  /** Why assumptions have the values that they started with, in words. */
  readonly provenance: Readonly<Record<string, string>>
  /** What was assumed at the start: an origin is told as long as that holds. */
  readonly startedWith: Assumptions
  /** What stands in the path in the place of `{name}`. */
  readonly parameter: string
  readonly query: URLSearchParams
  /** The body as parsed; `undefined` when there was none. */
  readonly body: unknown
  /** The OpenAPI document of these routes. */
  readonly document: () => Promise<unknown>
}

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/__plant-mock`, with at most one `{parameter}`. */
  readonly path: string
  readonly summary: string
  /** Query parameters with what they mean. */
  readonly query?: Readonly<Record<string, string>>
  /** The schema of the request body; left out where there is none. */
  readonly body?: SchemaName
  /** The schema of the answer; left out where it is 204 without a body. */
  readonly answer?: SchemaName
  /** Gives what is answered as JSON. Throws `Missing` for what is not there, PlantMockError for what cannot be used. */
  readonly run: (call: Call) => unknown
}

/** There is nothing with this name. */
export class Missing extends Error {}

const filters: Readonly<Record<string, string>> = {
  operation: 'createPlant or listPlants',
  method: 'A method such as POST',
  status: 'A status such as 409',
  caller: 'A pseudonym such as caller-1',
  source: 'contract, assumption or fault',
  problem: 'A problem type such as duplicate-id',
  fault: 'status, malformed, reset, truncate or drip',
  violating: 'true for requests that violate the contract, false for the others',
}

/** Everything that can be asked of a running mock; handling, documentation and tests derive from it. */
export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/',
    summary: 'What can be asked here',
    answer: 'Index',
    run: ({ version }) => ({
      name: 'plant-mock',
      version,
      routes: routes.map(({ method, path, summary }) => ({ method, path, summary })),
    }),
  },
  {
    method: 'GET',
    path: '/state',
    summary: 'What is there at a glance',
    answer: 'State',
    run: async ({ instance, session, version, sessions }) => ({
      name: 'plant-mock',
      version,
      ...(session !== undefined && { session }),
      plants: (await instance.plants.all()).length,
      requests: await instance.requests.count(),
      violations: (await instance.violations()).length,
      faults: (await instance.faults()).length,
      sessions: (await sessions.all()).length,
      assumed: Object.fromEntries(
        assumptionRegistry
          .filter((row) => instance.inForce[row.id] !== row.default)
          .map(({ id }) => [id, instance.inForce[id]]),
      ),
    }),
  },
  {
    method: 'GET',
    path: '/plants',
    summary: 'Every plant, whoever may see it',
    query: { callers: 'pseudonyms: access names caller-1 and so on, in the place of tokens' },
    answer: 'Plants',
    run: async ({ instance, query, pseudonym }) => {
      const plants = await instance.plants.all()
      if (query.get('callers') !== 'pseudonyms') return { plants }
      return {
        plants: plants.map((plant) => ({
          ...plant,
          ...(plant.access && { access: plant.access.map(pseudonym) }),
        })),
      }
    },
  },
  {
    method: 'POST',
    path: '/plants',
    summary: 'Add plants behind those that are there; all of them or none',
    body: 'Plants',
    run: ({ instance, body }) => instance.seed(plantsIn(body)),
  },
  {
    method: 'POST',
    path: '/plants/search',
    summary: 'The plants that one caller may access; the token is in the body, and in no address',
    body: 'Caller',
    answer: 'Plants',
    run: async ({ instance, body }) => {
      const wanted = 'Send a caller such as {"caller":"alice"}.'
      const { caller } = objectIn(body, wanted)
      if (typeof caller !== 'string') throw new PlantMockError(wanted)
      return { plants: await instance.plants.visibleTo(caller) }
    },
  },
  {
    method: 'PUT',
    path: '/plants',
    summary: 'Take these plants in place of the fixtures it started with',
    body: 'Plants',
    run: ({ instance, body }) => instance.load(plantsIn(body)),
  },
  {
    method: 'POST',
    path: '/reset',
    summary: 'Go back to fixtures, assumptions and faults of the start, and clear the journal',
    run: ({ instance }) => instance.reset(),
  },
  {
    method: 'GET',
    path: '/snapshots',
    summary: 'The snapshots by name',
    answer: 'Snapshots',
    run: ({ instance, snapshots }) => ({ snapshots: snapshots.names(instance) }),
  },
  {
    method: 'POST',
    path: '/snapshots',
    summary: 'Remember plants and assumptions as they are, under a name that the mock chooses',
    answer: 'Snapshot',
    run: async ({ instance, snapshots }) => ({ name: await snapshots.take(instance) }),
  },
  {
    method: 'PUT',
    path: '/snapshots/{name}',
    summary: 'Remember plants and assumptions as they are, under this name',
    answer: 'Snapshot',
    run: async ({ instance, snapshots, parameter }) => ({ name: await snapshots.take(instance, parameter) }),
  },
  {
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Bring back what a snapshot remembers',
    run: async ({ instance, snapshots, parameter }) => {
      if (!(await snapshots.restore(instance, parameter)))
        throw new Missing(`There is no snapshot ${parameter}.`)
    },
  },
  {
    method: 'DELETE',
    path: '/snapshots/{name}',
    summary: 'Forget a snapshot',
    run: ({ instance, snapshots, parameter }) => {
      if (!snapshots.drop(instance, parameter)) throw new Missing(`There is no snapshot ${parameter}.`)
    },
  },
  {
    method: 'GET',
    path: '/requests',
    summary: 'The journal, oldest first',
    query: filters,
    answer: 'Entries',
    run: async ({ instance, query }) => ({
      requests: await instance.requests.all(filterIn(Object.fromEntries(query))),
    }),
  },
  {
    method: 'POST',
    path: '/requests/search',
    summary: 'The same with the filter in the body, where a token may stand too',
    body: 'Filter',
    answer: 'Entries',
    run: async ({ instance, body }) => ({ requests: await instance.requests.all(filterIn(body)) }),
  },
  {
    method: 'POST',
    path: '/requests/count',
    summary: 'How many exchanges of the journal match',
    body: 'Filter',
    answer: 'Count',
    run: async ({ instance, body }) => ({ count: await instance.requests.count(filterIn(body)) }),
  },
  {
    method: 'GET',
    path: '/requests/{id}',
    summary: 'One exchange of the journal',
    answer: 'Entry',
    run: ({ instance, parameter }) => {
      const entry = /^\d{1,15}$/.test(parameter) ? instance.entry(Number(parameter)) : undefined
      if (entry === undefined) throw new Missing(`There is no exchange ${parameter} in the journal.`)
      return entry
    },
  },
  {
    method: 'DELETE',
    path: '/requests',
    summary: 'Clear the journal',
    run: ({ instance }) => instance.requests.clear(),
  },
  {
    method: 'GET',
    path: '/violations',
    summary: 'Where requests of the journal violate the contract',
    answer: 'Violations',
    run: async ({ instance }) => ({ violations: await instance.violations() }),
  },
  {
    method: 'GET',
    path: '/faults',
    summary: 'The faults that are set, the latest first',
    query: { pending: 'true: only those that have not met all the requests they are for' },
    answer: 'Faults',
    run: async ({ instance, query }) => ({
      faults: query.get('pending') === 'true' ? await instance.pending() : await instance.faults(),
    }),
  },
  {
    method: 'POST',
    path: '/faults',
    summary: 'Let requests fail, come late or break',
    body: 'Fault',
    answer: 'FaultId',
    run: ({ instance, body }) => ({ id: instance.addFault(body as Fault) }),
  },
  {
    method: 'DELETE',
    path: '/faults',
    summary: 'Take every fault away, latency and fail rate too',
    run: ({ instance }) => instance.clearFaults(),
  },
  {
    method: 'DELETE',
    path: '/faults/{id}',
    summary: 'Take one fault away',
    run: ({ instance, parameter }) => {
      if (!instance.removeFault(parameter)) throw new Missing(`There is no fault ${parameter}.`)
    },
  },
  {
    method: 'GET',
    path: '/assumptions',
    summary: 'What is assumed where the contract leaves a point open, with the register',
    answer: 'Assumptions',
    run: ({ instance, provenance, startedWith }) => ({
      values: instance.inForce,
      registry: assumptionRegistry.map((row) => ({
        id: row.id,
        section: row.section,
        question: row.question,
        default: row.default,
        alternatives: row.alternatives,
        ...(row.rare && { rare: true }),
        value: instance.inForce[row.id],
        ...(provenance[row.id] !== undefined &&
          startedWith[row.id] === instance.inForce[row.id] && { provenance: provenance[row.id] }),
        meaning: row.meaning(instance.inForce[row.id]),
      })),
    }),
  },
  {
    method: 'PATCH',
    path: '/assumptions',
    summary: 'Change what is assumed, from the next request on',
    body: 'Assume',
    run: ({ instance, body }) =>
      instance.assume(objectIn(body, 'Send an object of assumptions, such as {"create.status":200}.')),
  },
  {
    method: 'POST',
    path: '/assumptions/vary',
    summary: 'Choose a value for every assumption but the rare ones, from a seed',
    body: 'Seed',
    answer: 'Assume',
    run: async ({ instance, body }) => {
      const { seed } = objectIn(body, 'Send a seed such as {"seed":7}.')
      if (!Number.isSafeInteger(seed))
        throw new PlantMockError('Send a seed that is a whole number: {"seed":7}.')
      const assume = { ...defaultAssumptions, ...assumptionsFromSeed(seed as number) }
      await instance.assume(assume)
      return assume
    },
  },
  {
    method: 'GET',
    path: '/fixtures',
    summary: 'The names of the fixtures that come with plant-mock',
    answer: 'Fixtures',
    run: async () => ({ fixtures: await (await fixtureFiles()).shippedFixtures() }),
  },
  {
    method: 'PUT',
    path: '/fixtures/{name}',
    summary: 'Take the plants of a shipped fixture in place of those it started with',
    run: async ({ instance, parameter }) => {
      const { loadFixtures, shippedFixtures } = await fixtureFiles()
      // By name alone: no path that a request brings is ever read.
      if (!(await shippedFixtures()).includes(parameter))
        throw new Missing(`There is no fixture ${parameter}.`)
      await instance.load(await loadFixtures(parameter))
    },
  },
  {
    method: 'GET',
    path: '/coverage',
    summary: 'Which outcomes of the contract the clients have met',
    answer: 'Coverage',
    run: async ({ instance }) => ({ coverage: await instance.coverage() }),
  },
  {
    method: 'DELETE',
    path: '/coverage',
    summary: 'Count outcomes from zero',
    run: ({ instance }) => instance.clearCoverage(),
  },
  {
    method: 'GET',
    path: '/sessions',
    summary: 'The sessions, longest unused first',
    answer: 'Sessions',
    run: async ({ sessions }) => ({ sessions: await sessions.all() }),
  },
  {
    method: 'DELETE',
    path: '/sessions/{id}',
    summary: 'Forget a session and all that is in it',
    run: async ({ sessions, parameter }) => {
      if (!(await sessions.drop(parameter))) throw new Missing(`There is no session ${parameter}.`)
    },
  },
  {
    method: 'GET',
    path: '/contract',
    summary: 'The OpenAPI document of the service as the mock plays it now',
    answer: 'Document',
    run: async ({ instance, version }) => {
      const { openApiDocument } = await import('../operations/openapi.ts')
      return openApiDocument(instance.inForce, version)
    },
  },
  {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    answer: 'Document',
    run: ({ document }) => document(),
  },
]

/** Loaded when asked for: what else is asked has no need of files. */
const fixtureFiles = () => import('../fixtures/load.ts')

const objectIn = (body: unknown, wanted: string): Record<string, unknown> => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new PlantMockError(wanted)
  return body as Record<string, unknown>
}

const plantsIn = (body: unknown): FixturePlant[] => {
  const wanted = 'Send {"plants":[…]}, as fixture files have them.'
  const { plants } = objectIn(body, wanted)
  if (!Array.isArray(plants)) throw new PlantMockError(wanted)
  return plants as FixturePlant[]
}

const filterIn = (parts: unknown): RequestFilter =>
  readFilter(parts === undefined ? {} : objectIn(parts, 'Send a filter such as {"operation":"createPlant"}.'))
