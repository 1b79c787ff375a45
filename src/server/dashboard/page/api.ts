import { isJsonObject, jsonOrUndefined } from '../../../util/json.ts'
import { type ChangeEvent, type RequestsEvent, readEvents } from '../../control/events.ts'

/** The base URL of the service, above that of the page. */
export const baseUrl = new URL('..', location.href).href.replace(/\/$/, '')

/** The selected session and the control key, kept for this tab; empty for none. */
export const connection = {
  session: sessionStorage.getItem('plant-mock session') ?? '',
  key: sessionStorage.getItem('plant-mock key') ?? '',
}

export const saveConnection = (values: Partial<typeof connection>): void => {
  Object.assign(connection, values)
  for (const [name, value] of Object.entries(values)) sessionStorage.setItem(`plant-mock ${name}`, value)
}

/** The mock requires another control key. */
export class KeyRequiredError extends Error {}

const headers = (more: Record<string, string> = {}): Record<string, string> => ({
  accept: 'application/json',
  ...(connection.session !== '' && { 'plant-mock-session': connection.session }),
  ...(connection.key !== '' && { 'plant-mock-control-key': connection.key }),
  ...more,
})

/**
 * Sends a control request and returns the JSON of the response.
 * @param path Relative, without a slash in front, so that the page works under any prefix.
 * @throws Error with the `detail` of the problem document, for a status other than 2xx; KeyRequiredError for 401.
 */
export const call = async <T = void>(method: string, path: string, body?: unknown): Promise<T> => {
  const response = await fetch(path, {
    method,
    headers: headers(body === undefined ? {} : { 'content-type': 'application/json' }),
    // The control key belongs to this server alone.
    redirect: 'error',
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await refusalOf(response)
  return (response.status === 204 ? undefined : await response.json()) as T
}

const refusalOf = async (response: Response): Promise<Error> => {
  const text = await response.text()
  const problem = jsonOrUndefined(text)
  const detail = isJsonObject(problem) && typeof problem.detail === 'string' ? problem.detail : text
  const Refusal = response.status === 401 ? KeyRequiredError : Error
  return new Refusal(detail || `The mock responded with ${response.status}.`)
}

/** Creates a plant through the service, so that the mock validates it as from any client. */
export const createPlantAs = (token: string, plant: unknown): Promise<Response> =>
  fetch('../plants', {
    method: 'POST',
    headers: headers({ authorization: `Bearer ${token}`, 'content-type': 'application/json' }),
    body: JSON.stringify(plant),
  })

export type Listener = {
  readonly onRequests: (event: RequestsEvent) => void
  readonly onChange: (event: ChangeEvent) => void
  readonly onConnection: (isConnected: boolean) => void
}

const reconnectInterval = 1_000

/** Listens to the events of the mock, and reconnects when the connection breaks, until the signal aborts. */
export const listen = async (listener: Listener, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    // The mock may be stopped, or the key wrong: the page shows that it is disconnected, and tries again.
    await forwardEvents(listener, signal).catch(() => undefined)
    if (signal.aborted) return
    listener.onConnection(false)
    await new Promise((resolve) => setTimeout(resolve, reconnectInterval))
  }
}

const forwardEvents = async (listener: Listener, signal: AbortSignal): Promise<void> => {
  const response = await fetch('events', { headers: headers(), signal })
  if (!response.ok || response.body === null) throw await refusalOf(response)
  listener.onConnection(true)
  for await (const { name, data } of readEvents(response.body)) {
    if (name === 'requests') listener.onRequests(JSON.parse(data) as RequestsEvent)
    if (name === 'change') listener.onChange(JSON.parse(data) as ChangeEvent)
  }
}
