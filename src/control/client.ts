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
import { fetchFailure, PlantMockError, UnreachableError } from '../util/errors.ts'
import { isError } from '../util/is-error.ts'
import { isJsonObject, jsonOrUndefined, parseJson } from '../util/json.ts'
import { syncFilter } from '../util/sync-filter.ts'
import { readEvents } from './event-stream.ts'
import { checkControlKey } from './key.ts'
import { controlPath, keyHeader } from './paths.ts'

export type ConnectOptions = {
  /** The key that the server was started with (`--control-key`). Default: none. */
  readonly key?: string
  /** Sends the requests. Default: the global `fetch` at the time of each request. */
  readonly fetch?: typeof globalThis.fetch
}

const optionNames: OptionNames<ConnectOptions> = { key: true, fetch: true }

type Connection = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly send: typeof globalThis.fetch
}

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
  /** Sends a control request and returns the JSON of the response, typed as its route documents it. */
  const call = async <T = void>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await request(connection, path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (response.status === 204) return undefined as T
    if (!response.headers.get('content-type')?.startsWith('application/json'))
      throw await errorOf(response, connection.url)
    return (await jsonOf(response, connection.url)) as T
  }
  /** The array `name` in the response to `GET /name`. */
  const listOf = async <T>(name: string, query = ''): Promise<readonly T[]> =>
    (await call<Record<string, unknown>>('GET', `/${name}${query}`))[name] as readonly T[]
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

/**
 * Sends a control request.
 * @throws UnreachableError without a response; PlantMockError for a response that is not 2xx.
 */
const request = async ({ url, headers, send }: Connection, path: string, init: RequestInit): Promise<Response> => {
  const response = await send(`${url}${controlPath}${path}`, {
    ...init,
    // The control key belongs to this server alone.
    redirect: 'manual',
    headers: { ...headers, ...(init.body !== undefined && { 'content-type': 'application/json' }) },
  }).catch((error: unknown) => {
    // `fetch` rejects with a TypeError for a network error, inside of Jest with that of another realm.
    if (!isError(error) || error.name !== 'TypeError') throw error
    throw new UnreachableError(`No mock responds at ${url}: ${fetchFailure(error)}. Is it running?`, { cause: error })
  })
  if (isRedirect(response)) throw redirectError(response, url)
  if (!response.ok) throw await errorOf(response, url)
  return response
}

/** Browsers hide the status of a redirect that is not followed. */
const isRedirect = ({ type, status }: Response): boolean => type === 'opaqueredirect' || (status >= 300 && status < 400)

const redirectError = ({ headers }: Response, url: string): PlantMockError => {
  const location = headers.get('location')
  return new PlantMockError(
    `${url} redirects control requests${location === null ? '' : ` to ${location}`}, which are not followed. Connect to the address of the mock itself.`,
  )
}

/** @throws UnreachableError when the response breaks off; PlantMockError when it is no JSON object. */
const jsonOf = async (response: Response, url: string): Promise<unknown> => {
  const parsed = parseJson(await textOf(response, url))
  if ('value' in parsed && isJsonObject(parsed.value)) return parsed.value
  const reason = 'error' in parsed ? `${parsed.error}.` : 'it is no object.'
  throw new PlantMockError(
    `A response of ${url} has JSON that no mock sends: ${reason} Connect to the address of the mock itself.`,
  )
}

/** @throws UnreachableError when the response breaks off. */
const textOf = (response: Response, url: string): Promise<string> =>
  response.text().catch((error: unknown) => {
    throw brokenOff(error, url)
  })

const brokenOff = (error: unknown, url: string): UnreachableError =>
  new UnreachableError(
    `A response of the mock at ${url} broke off: ${fetchFailure(error)}. Is it still running? If a proxy is in between, connect to the mock itself.`,
    { cause: error },
  )

/** The `detail` of a problem document, or an error that says that the server is not a mock. */
const errorOf = async (response: Response, url: string): Promise<PlantMockError> => {
  const problem = jsonOrUndefined(await textOf(response, url))
  const detail = isJsonObject(problem) && typeof problem.detail === 'string' ? problem.detail : undefined
  return new PlantMockError(
    detail ?? `${url} is not a mock, or its control interface is elsewhere: it responded with ${response.status}.`,
  )
}

/** Sends a request to the mock, whatever host it names, and in the session of the connection. */
const fetchThrough =
  ({ url, headers, send }: Connection): PlantMock['fetch'] =>
  async (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input, 'http://plant-mock.invalid')
    const target = `${url}${pathname}${search}`
    const request = new Request(input instanceof Request ? new Request(target, input) : target, init)
    const session = headers[sessionHeader]
    if (session !== undefined) request.headers.set(sessionHeader, session)
    return send(request)
  }

/** Captured at import: fake timers of a test must not stop `waitFor`. */
const { setTimeout, clearTimeout } = globalThis

/** How long to wait before connecting again, in milliseconds; it doubles with each time. */
const minReconnectPause = 100
const maxReconnectPause = 2_000

/**
 * Calls back after each exchange from now on; the result ends that. Connects again when the stream ends, because a proxy
 * cuts a long response, and the mock ends the stream of a session that is dropped; and calls back then, too.
 */
const listen = async (connection: Connection, onEntry: () => void): Promise<() => void> => {
  const leaving = new AbortController()
  const { signal } = leaving
  const follow = async (events: EventStream): Promise<void> => {
    for await (const { name } of events) if (name === 'requests') onEntry()
  }
  const reconnect = async (): Promise<void> => {
    for (let pause = minReconnectPause; !signal.aborted; pause = Math.min(2 * pause, maxReconnectPause)) {
      await pauseFor(pause, signal)
      const events = await openEvents(connection, signal).catch(() => undefined)
      if (events === undefined) continue
      onEntry()
      await follow(events).catch(() => undefined)
    }
  }
  const events = await openEvents(connection, signal)
  follow(events)
    .catch(() => undefined)
    .then(reconnect)
  return () => leaving.abort()
}

type EventStream = ReturnType<typeof readEvents>

/** Opens the event stream. Its first event, `state`, arrives once the mock listens. */
const openEvents = async (connection: Connection, signal: AbortSignal): Promise<EventStream> => {
  const response = await request(connection, '/events', { signal })
  if (response.body === null) throw await errorOf(response, connection.url)
  const events = readEvents(response.body)
  await events.next().catch((error: unknown) => {
    throw signal.aborted ? error : brokenOff(error, connection.url)
  })
  return events
}

const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })

/** JSON has no other iterables; a value that is none is sent as it is, so that the server explains what is wrong. */
const asArray = (plants: Iterable<FixturePlant>): unknown =>
  typeof plants?.[Symbol.iterator] === 'function' ? [...plants] : plants
