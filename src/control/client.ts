import type { Assumptions } from '../assumptions/registry.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import type { ActiveFault } from '../faults/faults.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Coverage } from '../mock/coverage.ts'
import type { PlantMock, RecordedViolation, RequestMatch, Session } from '../mock/plant-mock.ts'
import { requestsOf } from '../mock/requests.ts'
import { checkSessionId, sessionHeader } from '../mock/session-id.ts'
import { PlantMockError, UnreachableError } from '../util/errors.ts'
import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import { readEvents } from './event-stream.ts'
import { controlPath, keyHeader } from './paths.ts'

export type ConnectOptions = {
  /** The key that the server was started with (`--control-key`). */
  readonly key?: string
  /** Sends the requests. Default: the global `fetch` at the time of each request. */
  readonly fetch?: typeof globalThis.fetch
}

type Connection = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly send: typeof globalThis.fetch
}

/**
 * Connects to a running mock: a `plant-mock` server, or a server of yours that uses the middleware. The result has the
 * interface of a mock in this process; its methods throw UnreachableError when the server does not respond.
 * @param url The address of the service, such as `http://127.0.0.1:4010` or `http://localhost:5173/api`.
 * @throws PlantMockError for anything but an HTTP URL.
 */
export const connectPlantMock = (url: string | URL, options: ConnectOptions = {}): PlantMock => {
  const { key, fetch: send = (input, init) => globalThis.fetch(input, init) } = options
  return remoteMock({
    url: checkUrl(url),
    headers: key === undefined ? {} : { [keyHeader]: key },
    send,
  })
}

const checkUrl = (url: string | URL): string => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new PlantMockError(`"${url}" is not the URL of a mock. Use one such as http://127.0.0.1:4010.`)
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
}

const remoteMock = (connection: Connection): PlantMock => {
  const call = caller(connection)
  const get = <T>(path: string) => call<T>('GET', path)
  const allPlants = async () => (await get<{ plants: FixturePlant[] }>('/plants')).plants
  const faults = async (query = '') => (await get<{ faults: ActiveFault[] }>(`/faults${query}`)).faults
  const sessions = async () => (await get<{ sessions: Session[] }>('/sessions')).sessions
  const search = async (match: RequestMatch = {}) => {
    const filter = typeof match === 'function' ? {} : match
    const { requests } = await call<{ requests: JournalEntry[] }>('POST', '/requests/search', filter)
    return typeof match === 'function' ? requests.filter(match) : requests
  }
  return {
    fetch: (input, init) => fetchThrough(connection, input, init),
    plants: {
      all: allPlants,
      visibleTo: async (caller) =>
        (await call<{ plants: FixturePlant[] }>('POST', '/plants/search', { caller })).plants,
      find: async (matches) => (await allPlants()).find(matches),
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
    violations: async () => (await get<{ violations: RecordedViolation[] }>('/violations')).violations,
    assumptions: async () => (await get<{ values: Assumptions }>('/assumptions')).values,
    assume: (values) => call('PATCH', '/assumptions', values),
    seed: (plants) => call('POST', '/plants', { plants }),
    load: (plants) => call('PUT', '/plants', { plants }),
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
    faults: () => faults(),
    pending: () => faults('?pending=true'),
    clearFaults: () => call('DELETE', '/faults'),
    coverage: async () => (await get<{ coverage: Coverage }>('/coverage')).coverage,
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

/** Sends a control request and returns the JSON of the response, typed as its route documents it. */
type Call = <T = void>(method: string, path: string, body?: unknown) => Promise<T>

const caller =
  ({ url, headers, send }: Connection): Call =>
  async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await reach(url, () =>
      send(`${url}${controlPath}${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    if (!response.ok) throw await errorOf(response, url)
    if (response.status === 204) return undefined as T
    if (!response.headers.get('content-type')?.startsWith('application/json')) throw await errorOf(response, url)
    return (await response.json()) as T
  }

/** `fetch` rejects with a TypeError for a network error; its cause has the reason. */
const reach = async <T>(url: string, send: () => Promise<T>): Promise<T> => {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const { cause = error } = error
    const reason = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : cause
    throw new UnreachableError(`No mock responds at ${url}: ${reason}. Is it running?`, { cause: error })
  }
}

/** The `detail` of a problem document, or an error that says that the server is not a mock. */
const errorOf = async (response: Response, url: string): Promise<PlantMockError> => {
  const problem = jsonOrUndefined(await response.text())
  return isJsonObject(problem) && typeof problem.detail === 'string'
    ? new PlantMockError(problem.detail)
    : new PlantMockError(
        `${url} is not a mock, or its control interface is elsewhere: it responded with ${response.status}.`,
      )
}

/** Sends a request to the mock, whatever host it names, and in the session of the connection. */
const fetchThrough = async (
  { url, headers, send }: Connection,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input, 'http://plant-mock.invalid')
  const target = `${url}${pathname}${search}`
  const request = new Request(input instanceof Request ? new Request(target, input) : target, init)
  const session = headers[sessionHeader]
  if (session !== undefined) request.headers.set(sessionHeader, session)
  return send(request)
}

/** Calls back after each exchange from now on; the result ends that. */
const listen = async ({ url, headers, send }: Connection, onEntry: () => void): Promise<() => void> => {
  const leaving = new AbortController()
  const response = await reach(url, () => send(`${url}${controlPath}/events`, { headers, signal: leaving.signal }))
  if (!response.ok || response.body === null) throw await errorOf(response, url)
  const events = readEvents(response.body)
  // The first event, `state`, arrives once the mock listens.
  await events.next()
  const forward = async (): Promise<void> => {
    for await (const { name } of events) if (name === 'requests') onEntry()
  }
  forward().catch(() => undefined)
  return () => leaving.abort()
}
