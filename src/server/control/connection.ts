import { problemUri } from '../../core/contract/problems.ts'
import { controlPath } from '../../core/http/control-path.ts'
import type { PlantMock } from '../../core/mock/plant-mock.ts'
import { sessionHeader } from '../../core/mock/sessions.ts'
import { fetchFailure, isError, PlantMockError, UnreachableError } from '../../util/errors.ts'
import { exactJson, exactJsonOrUndefined } from '../../util/exact-json.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { readEvents, type StreamEvent } from './events.ts'

export type Connection = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly send: typeof globalThis.fetch
}

export const call = async <T = void>(
  connection: Connection,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> => {
  const response = await request(connection, path, {
    method,
    ...(body !== undefined && { body: exactJson(body) }),
  })
  if (response.status === 204) return undefined as T
  const value = exactJsonOrUndefined(await textOf(response, connection.url))
  if (!isJsonObject(value)) throw noMock(response, connection.url)
  return value as T
}

export const callNamed = async (
  connection: Connection,
  method: string,
  path: string,
  name: string,
): Promise<boolean> => {
  const named = path.replace(/\{\w+\}/, () => encodeURIComponent(name))
  try {
    await call(connection, method, named)
    return true
  } catch (error) {
    if (error instanceof ControlError && error.problem === problemUri('not-found')) return false
    throw error
  }
}

const request = async ({ url, headers, send }: Connection, path: string, init: RequestInit): Promise<Response> => {
  const response = await send(`${url}${controlPath}${path}`, {
    ...init,
    // Follows no redirect, because a redirect could send the control key to another server.
    redirect: 'manual',
    headers: { ...headers, ...(init.body !== undefined && { 'content-type': 'application/json' }) },
  }).catch((error: unknown) => {
    // Compares the names of errors, because `instanceof TypeError` is false for errors of `fetch` inside Jest.
    if (!isError(error) || !networkErrors.includes(error.name)) throw error
    throw new UnreachableError(
      `No mock responds at ${url}: ${fetchFailure(error).replace(/\.$/, '')}. ${adviceFor(error, url)}`,
      { cause: error },
    )
  })
  if (!response.ok) throw await errorOf(response, url)
  return response
}

const networkErrors: readonly string[] = ['TypeError', 'NetworkError']

const adviceFor = ({ name }: Error, url: string): string =>
  name === 'NetworkError'
    ? `happy-dom blocks requests to other origins: call window.happyDOM.setURL('${url}') first.`
    : 'Is it running?'

export const fetchThrough =
  ({ url, headers, send }: Connection): PlantMock['fetch'] =>
  async (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input, 'http://plant-mock.invalid')
    const target = `${url}${pathname}${search}`
    const request = new Request(input instanceof Request ? new Request(target, input) : target, init)
    const session = headers[sessionHeader]
    if (session !== undefined) request.headers.set(sessionHeader, session)
    return send(request)
  }

export class ControlError extends PlantMockError {
  readonly status: number
  readonly problem: unknown

  constructor(message: string, status: number, problem: unknown) {
    super(message)
    this.status = status
    this.problem = problem
  }
}

const textOf = (response: Response, url: string): Promise<string> =>
  response.text().catch((error: unknown) => {
    throw brokenOff(error, url)
  })

const brokenOff = (error: unknown, url: string): UnreachableError =>
  new UnreachableError(
    `A response of the mock at ${url} broke off: ${fetchFailure(error)}. Is the mock still running? If a proxy is in between, connect to the mock itself.`,
    { cause: error },
  )

const errorOf = async (response: Response, url: string): Promise<PlantMockError> => {
  const body = jsonOrUndefined(await textOf(response, url))
  const { detail, type } = isJsonObject(body) ? body : {}
  return typeof detail === 'string' ? new ControlError(detail, response.status, type) : noMock(response, url)
}

const noMock = ({ type, status, headers }: Response, url: string): PlantMockError => {
  const location = headers.get('location')
  const answer = type === 'opaqueredirect' ? 'a redirect' : status
  return new PlantMockError(
    `${url} is not a mock, or its control interface is elsewhere: it responded with ${answer}${location === null ? '' : `, a redirect to ${location}`}. Connect to the address of the mock itself.`,
  )
}

type EventStream = AsyncGenerator<StreamEvent, void>

/** Waits for the first event, because the mock reports changes only after it has sent this event. */
export const openEvents = async (connection: Connection, signal: AbortSignal): Promise<EventStream> => {
  const response = await request(connection, '/events', { signal })
  if (response.body === null) throw noMock(response, connection.url)
  const events = readEvents(response.body)
  await events.next().catch((error: unknown) => {
    throw signal.aborted ? error : brokenOff(error, connection.url)
  })
  return events
}

/** Captures the timers at import, because a test may install fake timers later, which would stop `waitFor`. */
const { setTimeout, clearTimeout } = globalThis

const minReconnectPause = 100
const maxReconnectPause = 2_000

export type EventListener = {
  readonly onEvent: (event: StreamEvent) => void
  readonly onConnection: (isConnected: boolean) => void
}

export const followEvents = async (
  connection: Connection,
  { onEvent, onConnection }: EventListener,
  signal: AbortSignal,
  opened?: EventStream,
): Promise<void> => {
  let pause = minReconnectPause
  for (let events = opened; !signal.aborted; events = undefined) {
    try {
      events ??= await openEvents(connection, signal)
      pause = minReconnectPause
      onConnection(true)
      for await (const event of events) onEvent(event)
    } catch {
      // Retries after any error, because the mock may be restarting.
    }
    if (signal.aborted) return
    onConnection(false)
    await pauseFor(pause, signal)
    pause = Math.min(2 * pause, maxReconnectPause)
  }
}

const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end, { once: true })
  })
