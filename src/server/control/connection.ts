import type { PlantMock } from '../../core/mock/plant-mock.ts'
import { sessionHeader } from '../../core/mock/session-id.ts'
import { fetchFailure, UnreachableError } from '../../util/errors.ts'
import { isError } from '../../util/is-error.ts'
import { controlPath } from './paths.ts'
import { errorOf, isRedirect, jsonOf, redirectError, UnknownNameError } from './read-response.ts'

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
