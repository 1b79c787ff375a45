import { sessionHeader } from '../../../core/mock/sessions.ts'
import { type Connection, call as callThrough, type EventListener, followEvents } from '../../control/connection.ts'
import { keyHeader } from '../../control/paths.ts'

export const baseUrl = new URL('..', location.href).href.replace(/\/$/, '')

export const selection = {
  session: sessionStorage.getItem('plant-mock session') ?? '',
  key: sessionStorage.getItem('plant-mock key') ?? '',
}

export const select = (values: Partial<typeof selection>): void => {
  Object.assign(selection, values)
  for (const [name, value] of Object.entries(values)) sessionStorage.setItem(`plant-mock ${name}`, value)
}

const connection = (): Connection => ({
  url: baseUrl,
  headers: {
    ...(selection.session !== '' && { [sessionHeader]: selection.session }),
    ...(selection.key !== '' && { [keyHeader]: selection.key }),
  },
  send: (input, init) => fetch(input, init),
})

/** Sends a control request; returns the JSON of the response. @throws ControlError with the `detail` of a refusal. */
export const call = <T = void>(method: string, path: string, body?: unknown): Promise<T> =>
  callThrough(connection(), method, `/${path}`, body)

/** As `call`, in the session that is selected now, also after another one has been selected. */
export const boundCall = (): typeof call => {
  const bound = connection()
  return (method, path, body) => callThrough(bound, method, `/${path}`, body)
}

export const listen = (listener: EventListener, signal: AbortSignal): Promise<void> =>
  followEvents(connection(), listener, signal)
