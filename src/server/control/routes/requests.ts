import type { JournalEntry } from '../../../core/journal/entry.ts'
import { parseFilter } from '../../../core/journal/filter.ts'
import type { MockInstance } from '../../../core/mock/instance.ts'
import { JsonList, ownRoute, type RouteTable } from '../route.ts'
import { repeatedRequest, sendRequest, sentRequestIn } from '../send.ts'

export const requestRoutes: RouteTable = {
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
    summary:
      'What a response would have been under the other values of the assumptions that decided it; latest 20 only',
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
