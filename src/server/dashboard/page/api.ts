import { sessionHeader } from '../../../core/mock/sessions.ts'
import { type Connection, call as callThrough } from '../../control/connection.ts'
import { keyHeader } from '../../control/paths.ts'

export const baseUrl = new URL('..', location.href).href.replace(/\/$/, '')

const selected = (name: 'session' | 'key'): string => sessionStorage.getItem(`plant-mock ${name}`) ?? ''

export const session = selected('session')

export const key = selected('key')

/** Reloads the page, because its lists and its Undo belong to the previous session. */
export const select = (name: 'session' | 'key', value: string): void => {
  sessionStorage.setItem(`plant-mock ${name}`, value)
  location.hash = location.hash.split('/', 1).join()
  location.reload()
}

export const connection: Connection = {
  url: baseUrl,
  headers: {
    ...(session !== '' && { [sessionHeader]: session }),
    ...(key !== '' && { [keyHeader]: key }),
  },
  send: (input, init) => fetch(input, init),
}

export const call = <T = void>(method: string, path: string, body?: unknown): Promise<T> =>
  callThrough(connection, method, `/${path}`, body)
