import { reasonPhrase } from '../../../core/http/status.ts'

const successes: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content' }

/** A status with its reason phrase: `429 Too Many Requests`. */
export const statusText = (status: number): string => {
  const phrase = successes[status] ?? reasonPhrase(status)
  return phrase === 'Error' ? String(status) : `${status} ${phrase}`
}
