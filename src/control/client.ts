import type { Assumptions } from '../assumptions/registry.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import type { ActiveFault } from '../faults/faults.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Coverage } from '../mock/coverage.ts'
import type { PlantMock, RecordedViolation, RequestMatch, Session } from '../mock/plant-mock.ts'
import { requestsOf } from '../mock/requests.ts'
import { checkSessionId, sessionHeader } from '../mock/session-id.ts'
import { PlantMockError, UnreachableError } from '../util/errors.ts'
import { eventsPath } from './events.ts'
import { controlPath, keyHeader } from './paths.ts'

export type ConnectOptions = {
  /** The key that the server was started with (`--control-key`). */
  readonly key?: string
  /** What sends the requests. Default: the `fetch` there is. */
  readonly fetch?: typeof globalThis.fetch
}

type Connection = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly send: typeof globalThis.fetch
}

/**
 * A mock that runs elsewhere, with the same interface as one in this process: a server of `plant-mock`, or the
 * middleware in a server of yours. Methods throw UnreachableError when nothing answers there.
 * @param url The address of the service, such as `http://127.0.0.1:4010` or `http://localhost:5173/api`.
 * @throws PlantMockError when that is no HTTP address.
 */
export const connectPlantMock = (url: string | URL, options: ConnectOptions = {}): PlantMock => {
  const { key, fetch: send = (input, init) => globalThis.fetch(input, init) } = options
  return remote({
    url: addressOf(url),
    headers: key === undefined ? {} : { [keyHeader]: key },
    send,
  })
}

const addressOf = (url: string | URL): string => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new PlantMockError(`"${url}" is no address of a mock. Write it as http://127.0.0.1:4010.`)
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
}

const remote = (connection: Connection): PlantMock => {
  const ask = asker(connection)
  const get = <T>(path: string) => ask<T>('GET', path)
  const all = async () => (await get<{ plants: FixturePlant[] }>('/plants')).plants
  const search = async (match: RequestMatch = {}) => {
    const filter = typeof match === 'function' ? {} : match
    const { requests } = await ask<{ requests: JournalEntry[] }>('POST', '/requests/search', filter)
    return typeof match === 'function' ? requests.filter(match) : requests
  }
  return {
    fetch: (input, init) => fetchThrough(connection, input, init),
    plants: {
      all,
      visibleTo: async (caller) =>
        (await ask<{ plants: FixturePlant[] }>('POST', '/plants/search', { caller })).plants,
      find: async (matches) => (await all()).find(matches),
    },
    requests: requestsOf({
      all: search,
      count: async (match = {}) => {
        if (typeof match === 'function') return (await search(match)).length
        return (await ask<{ count: number }>('POST', '/requests/count', match)).count
      },
      clear: () => ask('DELETE', '/requests'),
      listen: (onEntry) => listen(connection, onEntry),
    }),
    violations: async () => (await get<{ violations: RecordedViolation[] }>('/violations')).violations,
    assumptions: async () => (await get<{ values: Assumptions }>('/assumptions')).values,
    assume: (values) => ask('PATCH', '/assumptions', values),
    seed: (plants) => ask('POST', '/plants', { plants }),
    load: (plants) => ask('PUT', '/plants', { plants }),
    async snapshot() {
      const { name } = await ask<{ name: string }>('POST', '/snapshots')
      return () => ask('POST', `/snapshots/${encodeURIComponent(name)}/restore`)
    },
    reset: () => ask('POST', '/reset'),
    async fail(fault) {
      const { id } = await ask<{ id: string }>('POST', '/faults', fault)
      return async () => {
        const { faults } = await get<{ faults: ActiveFault[] }>('/faults')
        if (faults.some((fault) => fault.id === id)) await ask('DELETE', `/faults/${id}`)
      }
    },
    faults: async () => (await get<{ faults: ActiveFault[] }>('/faults')).faults,
    pending: async () => (await get<{ faults: ActiveFault[] }>('/faults?pending=true')).faults,
    clearFaults: () => ask('DELETE', '/faults'),
    coverage: async () => (await get<{ coverage: Coverage }>('/coverage')).coverage,
    clearCoverage: () => ask('DELETE', '/coverage'),
    session(id) {
      checkSessionId(id)
      return remote({ ...connection, headers: { ...connection.headers, [sessionHeader]: id } })
    },
    sessions: {
      all: async () => (await get<{ sessions: Session[] }>('/sessions')).sessions,
      drop: async (id) => {
        const { sessions } = await get<{ sessions: Session[] }>('/sessions')
        if (!sessions.some((session) => session.id === id)) return false
        await ask('DELETE', `/sessions/${encodeURIComponent(id)}`)
        return true
      },
    },
  }
}

/** Sends a control request, and reads its answer as what the route is documented to give. */
type Ask = <T = void>(method: string, path: string, body?: unknown) => Promise<T>

/** What was refused there is thrown here, with the same words. */
const asker =
  ({ url, headers, send }: Connection): Ask =>
  async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await reach(url, () =>
      send(`${url}${controlPath}${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    if (!response.ok) throw await refusalIn(response, url)
    if (response.status === 204) return undefined as T
    if (!response.headers.get('content-type')?.startsWith('application/json'))
      throw await refusalIn(response, url)
    return (await response.json()) as T
  }

const reach = async <T>(url: string, attempt: () => Promise<T>): Promise<T> => {
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const { cause = error } = error
    const reason = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : cause
    throw new UnreachableError(`No mock answers at ${url}: ${reason}. Is it running?`, { cause: error })
  }
}

const refusalIn = async (response: Response, url: string): Promise<PlantMockError> => {
  const text = await response.text()
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return new PlantMockError(detail)
  } catch {
    // What answers is not a mock.
  }
  return new PlantMockError(`${url} is no mock that can be controlled: it answered ${response.status}.`)
}

/** Requests go to the mock whatever host they name; the session goes with them. */
const fetchThrough = async (
  { url, headers, send }: Connection,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> => {
  const { pathname, search } = new URL(
    input instanceof Request ? input.url : input,
    'http://plant-mock.invalid',
  )
  const base =
    input instanceof Request ? new Request(`${url}${pathname}${search}`, input) : `${url}${pathname}${search}`
  const request = new Request(base, init)
  const session = headers[sessionHeader]
  if (session !== undefined) request.headers.set(sessionHeader, session)
  return send(request)
}

/** Calls back for exchanges from now on, as the mock's events tell of them. */
const listen = async ({ url, headers, send }: Connection, onEntry: () => void): Promise<() => void> => {
  const leaving = new AbortController()
  const response = await reach(url, () =>
    send(`${url}${controlPath}${eventsPath}`, { headers, signal: leaving.signal }),
  )
  if (!response.ok || response.body === null) throw await refusalIn(response, url)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  // The first event says that the mock listens.
  await reader.read()
  const read = async (): Promise<void> => {
    let rest = ''
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const lines = `${rest}${next.value}`.split('\n')
      rest = lines.pop() ?? ''
      if (lines.includes('event: requests')) onEntry()
    }
  }
  read().catch(() => undefined)
  return () => leaving.abort()
}
