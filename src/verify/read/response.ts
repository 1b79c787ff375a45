import type { Redact } from '../../core/http/redact.ts'
import { isJsonObject } from '../../util/json.ts'
import { type CallerRole, isCreate, namePrefix, type TestRequest } from './test-request.ts'

/** Tokens are redacted in `headers` and `text`, but not in `json`. */
export type TestResponse = {
  readonly as: CallerRole
  readonly curl: () => string
  readonly path?: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: unknown
  readonly redact: Redact
  /** True if the status is 2xx, but the body is probably an error. */
  readonly isDisguised?: boolean
}

export const succeeded = ({ status, isDisguised = false }: TestResponse): boolean =>
  status >= 200 && status < 300 && !isDisguised

export const isTransient = ({ status }: TestResponse): boolean => [429, 502, 503, 504].includes(status)

export const isUndecided = ({ status }: TestResponse): boolean =>
  (status >= 300 && status < 400) || status === 408 || status === 429 || (status >= 500 && status !== 501)

export const isTokenRefused = ({ as, status }: TestResponse): boolean =>
  status === 401 && (as === 'caller' || as === 'other')

/** Whether the service refused the request itself. A refused token, a timeout and a rate limit do not count. */
export const refused = (response: TestResponse): boolean => {
  const { status } = response
  return status >= 400 && status < 500 && status !== 408 && !isTransient(response) && !isTokenRefused(response)
}

export const isPage = (response: TestResponse): boolean =>
  response.json === undefined &&
  /^text\/html\b/i.test(response.headers.get('content-type') ?? '') &&
  response.text !== ''

/** Excludes pages of HTML, because a page with a 2xx status may be a login form. */
export const isGranted = (response: TestResponse): boolean => succeeded(response) && !isPage(response)

export const isServerError = (response: TestResponse): boolean => response.status >= 500 && !isTransient(response)

export const isSuspicious = (response: TestResponse): boolean => {
  const { as, status } = response
  const isAboutToken = (status === 401 || status === 403) && (as === 'caller' || as === 'other')
  const isElsewhere = (status >= 300 && status < 400) || (succeeded(response) && isPage(response))
  return isAboutToken || isServerError(response) || (isElsewhere && as === 'caller')
}

export const elementsOf = ({ json }: TestResponse): readonly unknown[] => (Array.isArray(json) ? json : [])

export const lengthOf = (list: TestResponse): number => elementsOf(list).length

export type CreatedPlant = {
  readonly id?: unknown
  readonly name?: unknown
  readonly tag?: unknown
  readonly as: CallerRole
  /** False if the response does not show whether the plant was created: a redirect, a server error, or no response. */
  readonly certain: boolean
}

export const createdPlants = (request: TestRequest, response: TestResponse | undefined): readonly CreatedPlant[] => {
  const { as, json: plant } = request
  if (!isCreate(request)) return []
  const certain = response !== undefined && succeeded(response) && !isPage(response)
  const status = response?.status ?? 500
  // After an unclear response, a plant may be stored, unless the status is 4xx or the request body is not JSON.
  if (!certain && (plant === undefined || (status >= 400 && status < 500))) return []
  const { id, name, tag } = isJsonObject(plant) ? plant : {}
  return [{ id, name, tag, as, certain }]
}

export const isRecognisable = (value: unknown): boolean => {
  if (value === undefined) return true
  return (
    isJsonObject(value) &&
    [value.name, value.tag].some((text) => typeof text === 'string' && text.startsWith(namePrefix))
  )
}
