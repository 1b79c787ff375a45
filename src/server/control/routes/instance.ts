import { checkAssume } from '../../../core/assumptions/parse.ts'
import { assumptionRegistry } from '../../../core/assumptions/registry.ts'
import { contractSections } from '../../../core/contract/sections.ts'
import type { JournalEntry } from '../../../core/journal/entry.ts'
import { parseFilter } from '../../../core/journal/filter.ts'
import type { MockInstance } from '../../../core/mock/instance.ts'
import { shippedNames } from '../../../core/mock/shipped.ts'
import { eventsOf } from '../events.ts'
import { type ControlRoute, JsonList, ownRoute, type RouteTable } from '../route.ts'
import { repeatedRequest, sendRequest, sentRequestIn } from '../send.ts'

export const interfaceRoutes = (routes: () => readonly ControlRoute[]): RouteTable => ({
  'GET /': {
    summary: 'Lists these routes',
    response: 'json',
    run: ({ version }) => ({
      name: 'plant-mock',
      version,
      routes: routes().map(({ method, path, summary }) => ({ method, path, summary })),
    }),
  },
  'GET /health': {
    summary: 'Says that the server is ready; needs no key',
    isOpen: true,
    response: 'json',
    run: () => ({ ready: true }),
  },
  'GET /contract': {
    summary: 'The OpenAPI document of the service',
    response: 'json',
    run: async ({ instance, version }) => {
      const { openApiDocument } = await import('../../../core/operations/openapi.ts')
      return openApiDocument(instance.inForce, version)
    },
  },
  'GET /contract/sections': {
    summary: 'The sections of the contract with their text',
    response: 'json',
    run: () => ({ sections: contractSections() }),
  },
})

export const instanceRoutes: RouteTable = {
  'GET /state': {
    summary: 'Counts of plants, requests, violations, faults, sessions; changed assumptions',
    response: 'json',
    run: async ({ instance, session, version, instances: { sessions } }) => ({
      name: 'plant-mock',
      version,
      ...(session !== undefined && { session }),
      plants: await instance.countPlants(),
      requests: await instance.requests.count(),
      violations: instance.journal.countViolations(),
      faults: (await instance.faults()).length,
      sessions: (await sessions.all()).length,
      assumed: Object.fromEntries(
        assumptionRegistry
          .filter((row) => instance.inForce[row.id] !== row.default)
          .map(({ id }) => [id, instance.inForce[id]]),
      ),
    }),
  },
  'GET /events': {
    summary: 'Server-sent events: "requests" with new exchanges, "change" with the changed part',
    response: 'events',
    run: ({ instance, instances }) => eventsOf(instance, instances.listen),
  },
  ...ownRoute('GET /faults', {
    run: async ({ instance, query }) => ({
      faults: query.get('pending') === 'true' ? await instance.pending() : await instance.faults(),
    }),
  }),
  'PUT /snapshots/{name}': {
    summary: 'Takes a snapshot under this name',
    response: 'json',
    run: async ({ instance, parameter }) => ({ name: await instance.run('takeSnapshot', parameter) }),
  },
  'GET /fixtures': {
    summary: 'The names of the shipped fixtures',
    response: 'json',
    run: () => ({ fixtures: shippedNames }),
  },
  'PUT /fixtures/{name}': {
    summary: 'Replaces fixtures and plants with fixtures that ship with plant-mock',
    run: async ({ instance, parameter }) => {
      // Prevents path traversal: only names of shipped fixtures reach the file system.
      if (!shippedNames.includes(parameter)) return false
      const { loadPlants } = await import('../../files/load-fixtures.ts')
      await instance.replaceFixtures(await loadPlants([parameter]))
      return true
    },
  },
  'GET /sessions': {
    summary: 'The sessions, least recently used first',
    response: 'json',
    run: async ({ instances: { sessions } }) => ({ sessions: await sessions.all() }),
  },
  'DELETE /sessions/{id}': {
    summary: 'Deletes a session',
    run: ({ instances: { sessions }, parameter }) => sessions.drop(parameter),
  },
  ...ownRoute('GET /assumptions', {
    run: ({ instance: { inForce }, instances: { startedWith }, provenance }) => ({
      values: inForce,
      registry: assumptionRegistry.map(({ meaning, relies: _, rare, ...shown }) => {
        const value = inForce[shown.id]
        return {
          ...shown,
          ...(rare && { rare }),
          value,
          provenance: startedWith[shown.id] === value ? provenance[shown.id] : undefined,
          meaning: meaning(value),
        }
      }),
    }),
  }),
  'POST /assumptions/preview': {
    summary: 'Counts the latest 20 responses that would differ under these assumptions',
    response: 'json',
    run: ({ instance, body }) => instance.preview(checkAssume(body as Readonly<Record<string, unknown>>)),
  },
  'GET /requests': {
    summary: 'The journal, oldest request first',
    response: 'json',
    run: ({ instance, query }) =>
      new JsonList('requests', instance.journal.entries(parseFilter(Object.fromEntries(query)))),
  },
  'GET /requests/{id}': {
    summary: 'One request of the journal with its response',
    response: 'json',
    run: ({ instance, parameter }) => entryOf(instance, parameter),
  },
  'GET /requests/{id}/alternatives': {
    summary: 'The response under other values of its assumptions; latest 20 requests only',
    response: 'json',
    run: ({ instance, parameter }) =>
      /^\d{1,15}$/.test(parameter) ? instance.alternatives(Number(parameter)) : undefined,
  },
  'POST /requests': {
    summary: 'Sends a request to the service as a caller; returns the id of its entry',
    response: 'json',
    run: ({ instance, instances: { callers }, body }) => sendRequest(sentRequestIn(body), instance, callers),
  },
  'POST /requests/{id}/replay': {
    summary: 'Sends a request again; returns the id of the new entry',
    response: 'json',
    run: ({ instance, instances: { callers }, parameter }) => {
      const entry = entryOf(instance, parameter)
      return entry && sendRequest(repeatedRequest(entry), instance, callers)
    },
  },
  ...ownRoute('POST /requests/search', {
    run: ({ instance, body }) => new JsonList('requests', instance.journal.entries(parseFilter(body ?? {}))),
  }),
}

const entryOf = (instance: MockInstance, id: string): JournalEntry | undefined =>
  /^\d{1,15}$/.test(id) ? instance.journal.entry(Number(id)) : undefined
