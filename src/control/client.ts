import type { Assumptions } from '../assumptions/registry.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import type { ActiveFault } from '../faults/faults.ts'
import { plantsOf } from '../fixtures/shipped.ts'
import { withoutUserInfo } from '../http/user-info.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { CoverageRow } from '../mock/coverage.ts'
import { checkFieldValues } from '../mock/field-values.ts'
import type { PlantMatch } from '../mock/plant-filter.ts'
import type { PlantMock, RecordedViolation, RequestMatch, Session } from '../mock/plant-mock.ts'
import { requestsOf } from '../mock/requests.ts'
import { checkSessionId, sessionHeader } from '../mock/session-id.ts'
import { checkOptions, type OptionNames } from '../util/check-options.ts'
import { PlantMockError } from '../util/errors.ts'
import { syncFilter } from '../util/sync-filter.ts'
import { type Connection, controlCalls, fetchThrough } from './connection.ts'
import { checkControlKey } from './key.ts'
import { listen } from './listen.ts'
import { keyHeader } from './paths.ts'

export type ConnectOptions = {
  /** The key that the server was started with (`--control-key`). Default: none. */
  readonly key?: string
  /** Sends the requests. Default: the global `fetch` at the time of each request. */
  readonly fetch?: typeof globalThis.fetch
}

const optionNames: OptionNames<ConnectOptions> = { key: true, fetch: true }

/**
 * Connects to a running mock: a `plant-mock` server, or a server of yours that uses the middleware. The result has the
 * interface of a mock in this process; its methods throw UnreachableError when the server does not respond.
 * @param url The address of the service, such as `http://127.0.0.1:4010` or `http://localhost:5173/api`.
 * @throws PlantMockError for anything but an HTTP URL, for an unknown option, and for a key that no server has.
 */
export const connectPlantMock = (url: string | URL, options: ConnectOptions = {}): PlantMock => {
  checkOptions(options, optionNames, 'connectPlantMock', { controlKey: 'key' })
  const { key, fetch: send = (input, init) => globalThis.fetch(input, init) } = options
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new PlantMockError(
      `"${withoutUserInfo(url)}" is not the URL of a mock. Use one such as http://127.0.0.1:4010.`,
    )
  checkControlKey(key, 'The option key')
  return remoteMock({
    url: `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, ''),
    headers: key === undefined ? {} : { [keyHeader]: key },
    send,
  })
}

const remoteMock = (connection: Connection): PlantMock => {
  const { call, listOf } = controlCalls(connection)
  const allPlants = async (match?: PlantMatch) => {
    if (match === undefined) return listOf<FixturePlant>('plants')
    if (typeof match === 'function') return (await listOf<FixturePlant>('plants')).filter(syncFilter(match))
    const filter = checkFieldValues(match, 'filter')
    return (await call<{ plants: FixturePlant[] }>('POST', '/plants/search', { filter })).plants
  }
  /** A function cannot be sent: the plants that it selects are. */
  const selection = async (match: PlantMatch) =>
    typeof match === 'function' ? { plants: await allPlants(match) } : { filter: checkFieldValues(match, 'filter') }
  const faults = () => listOf<ActiveFault>('faults')
  const sessions = () => listOf<Session>('sessions')
  const search = async (match: RequestMatch = {}) => {
    const filter = typeof match === 'function' ? {} : match
    const { requests } = await call<{ requests: JournalEntry[] }>('POST', '/requests/search', filter)
    return typeof match === 'function' ? requests.filter(syncFilter(match)) : requests
  }
  return {
    fetch: fetchThrough(connection),
    plants: {
      all: allPlants,
      visibleTo: async (caller) =>
        (await call<{ plants: FixturePlant[] }>('POST', '/plants/search', { caller })).plants,
      find: async (match) => (await allPlants(match))[0],
      update: async (match, patch) => {
        const body = { ...(await selection(match)), patch: checkFieldValues(patch, 'patch') }
        return (await call<{ changed: number }>('PATCH', '/plants', body)).changed
      },
      remove: async (match) =>
        (await call<{ changed: number }>('POST', '/plants/remove', await selection(match))).changed,
      clear: () => call('DELETE', '/plants'),
    },
    requests: requestsOf({
      all: search,
      count: async (match = {}) => {
        if (typeof match === 'function') return (await search(match)).length
        return (await call<{ count: number }>('POST', '/requests/count', match)).count
      },
      clear: () => call('DELETE', '/requests'),
      listen: (onEntry) => listen(connection, onEntry),
    }),
    violations: () => listOf<RecordedViolation>('violations'),
    assumptions: async () => (await call<{ values: Assumptions }>('GET', '/assumptions')).values,
    assume: (values) => call('PATCH', '/assumptions', values),
    seed: async (plants) => call('POST', '/plants', { plants: asArray(await plantsOf(plants)) }),
    load: async (plants) => call('PUT', '/plants', { plants: asArray(await plantsOf(plants)) }),
    async snapshot() {
      const { name } = await call<{ name: string }>('POST', '/snapshots')
      return () => call('POST', `/snapshots/${encodeURIComponent(name)}/restore`)
    },
    reset: () => call('POST', '/reset'),
    async fail(fault) {
      const { id } = await call<{ id: string }>('POST', '/faults', fault)
      return async () => {
        // Another fault may have evicted it, or a reset removed it.
        if ((await faults()).some((fault) => fault.id === id)) await call('DELETE', `/faults/${id}`)
      }
    },
    faults,
    pending: () => listOf<ActiveFault>('faults', '?pending=true'),
    clearFaults: () => call('DELETE', '/faults'),
    coverage: () => listOf<CoverageRow>('coverage'),
    clearCoverage: () => call('DELETE', '/coverage'),
    session(id) {
      checkSessionId(id)
      return remoteMock({ ...connection, headers: { ...connection.headers, [sessionHeader]: id } })
    },
    sessions: {
      all: sessions,
      drop: async (id) => {
        if (!(await sessions()).some((session) => session.id === id)) return false
        await call('DELETE', `/sessions/${encodeURIComponent(id)}`)
        return true
      },
    },
  }
}

/** JSON has no other iterables; a value that is none is sent as it is, so that the server explains what is wrong. */
const asArray = (plants: Iterable<FixturePlant>): unknown =>
  typeof plants?.[Symbol.iterator] === 'function' ? [...plants] : plants
