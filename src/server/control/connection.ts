import { problemUri } from '../../core/contract/problems.ts'
import type { PlantMock } from '../../core/mock/plant-mock.ts'
import { sessionHeader } from '../../core/mock/session-id.ts'
import { fetchFailure, PlantMockError, UnreachableError } from '../../util/errors.ts'
import { isError } from '../../util/is-error.ts'
import { isJsonObject, jsonOrUndefined, parseJson } from '../../util/json.ts'
import { controlPath } from './paths.ts'

/** How a client reaches one mock instance: its server, and the headers that select the session and hold the key. */
export type Connection = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly send: typeof globalThis.fetch
}

/**
 * Sends a control request, and reads the JSON of the response, typed as its route documents it; `undefined` for 204.
 * @throws What `request` throws.
 */
export const call = async <T = void>(
  connection: Connection,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> => {
  const response = await request(connection, path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (response.status === 204) return undefined as T
  if (!response.headers.get('content-type')?.startsWith('application/json'))
    throw await errorOf(response, connection.url)
  return (await jsonOf(response, connection.url)) as T
}

/**
 * Sends a control request whose path names something.
 * @returns False when nothing has this name.
 */
export const callNamed = (connection: Connection, method: string, path: string, name: string): Promise<boolean> =>
  call(
    connection,
    method,
    path.replace(/\{\w+\}/, () => encodeURIComponent(name)),
  ).then(
    () => true,
    (error) => {
      if (error instanceof UnknownNameError) return false
      throw error
    },
  )

/**
 * Sends a control request.
 * @throws UnreachableError without a response; PlantMockError for a response that is not 2xx.
 */
export const request = async (
  { url, headers, send }: Connection,
  path: string,
  init: RequestInit,
): Promise<Response> => {
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

/** Sends a request to the mock, whatever host it names, and in the session of the connection. */
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

/** The control interface does not know the name in a path. */
class UnknownNameError extends PlantMockError {}

/** Browsers hide the status of a redirect that is not followed. */
const isRedirect = ({ type, status }: Response): boolean => type === 'opaqueredirect' || (status >= 300 && status < 400)

/** The error for a redirect, which is not followed because the control key belongs to this server alone. */
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

/** The error for a body that ended early. */
export const brokenOff = (error: unknown, url: string): UnreachableError =>
  new UnreachableError(
    `A response of the mock at ${url} broke off: ${fetchFailure(error)}. Is it still running? If a proxy is in between, connect to the mock itself.`,
    { cause: error },
  )

/** An error with the `detail` of a problem document; without one, the server is not a mock. */
export const errorOf = async (response: Response, url: string): Promise<PlantMockError> => {
  const problem = jsonOrUndefined(await textOf(response, url))
  const detail = isJsonObject(problem) && typeof problem.detail === 'string' ? problem.detail : undefined
  if (isJsonObject(problem) && problem.type === problemUri('not-found')) return new UnknownNameError(detail)
  return new PlantMockError(
    detail ?? `${url} is not a mock, or its control interface is elsewhere: it responded with ${response.status}.`,
  )
}
