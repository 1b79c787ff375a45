import { type ShownPlant, shownPlantViolations } from '../../core/contract/schemas.ts'
import { isJsonLikeType } from '../../core/http/media-type.ts'
import { isJsonObject } from '../../util/json.ts'
import { shorten } from '../../util/text.ts'
import { elementsOf, isPassing, isTokenRefused, succeeded, type TestResponse } from './response.ts'

export type Fields = Readonly<Record<string, unknown>>

export type Verdict =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'skipped'; readonly reason: string }
  /** `curl` repeats the request that showed the failure, with `$TOKEN` for the token. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly curl: string }
  /** Behaviour that users expect but the contract does not state: reported like `failed`, but no violation. */
  | { readonly outcome: 'advised'; readonly reason: string; readonly curl: string }

export const passed: Verdict = { outcome: 'passed' }
export const skipped = (reason: string): Verdict => ({ outcome: 'skipped', reason })
export const failed = ({ curl }: Pick<TestResponse, 'curl'>, reason: string): Verdict => ({
  outcome: 'failed',
  reason,
  curl,
})
/** Whether a response is neither success nor failure of the request, such as a redirect, which some clients follow. */
export const isNoVerdict = (response: TestResponse): boolean =>
  (response.status < 400 && !succeeded(response)) ||
  response.status === 408 ||
  isPassing(response) ||
  isTokenRefused(response)
export const passedIfOk = (response: TestResponse): Verdict => {
  if (succeeded(response)) return passed
  return isNoVerdict(response) ? skipped(describe(response)) : failed(response, describe(response))
}

export const excerpt = (text: string): string => (text === '' ? 'empty' : shorten(text, 80))

export const describe = ({ status, headers, text, isDisguised = false }: TestResponse): string => {
  if (isDisguised) return `it responds with ${status} to what seems to be an error: ${excerpt(text)}`
  return status >= 300 && status < 400
    ? `it redirects (${status}) to ${headers.get('location') ?? 'nowhere'}, which is not followed`
    : `it responds with ${status}: ${excerpt(text)}`
}

/** A statement of the contract, as reports show it. */
export type Statement = {
  readonly id: string
  /** The sections of the contract with this statement; empty for advice. */
  readonly section: string
  readonly statement: string
}

// Each function describes a fault, or returns `undefined`.

export const typeFault = ({ headers }: TestResponse): string | undefined => {
  const type = headers.get('content-type') ?? 'missing'
  return isJsonLikeType(type) ? undefined : `Content-Type is ${type}`
}

/** A plant as responses show it: `name` (2.1, 2.2), `tag` if the plant has a tag (2.3), and no other field. */
export const isPlant = (value: unknown): value is ShownPlant =>
  isUsual(value) || shownPlantViolations(value, true).length === 0

/** perf: avoids the schema, which takes most of the time of a list (`verify --learn` with 100,000 plants). */
const isUsual = (value: unknown): boolean =>
  isJsonObject(value) &&
  typeof value.name === 'string' &&
  typeof value.tag === 'string' &&
  Object.keys(value).length === 2

export const createdFault = (response: TestResponse, sent: Fields): string => {
  const { json, text, redact } = response
  if (text === '') return 'the body is empty'
  if (json === undefined) return `the body is not JSON: ${excerpt(text)}`
  const [fault] = shownPlantViolations(json, sent.tag === undefined)
  const field = ['name', 'tag'].find((name) => isJsonObject(json) && json[name] !== sent[name])
  // A fault may contain the name of a member, into which the service may echo a token.
  return `${fault === undefined ? `${field} is not as it was sent` : redact(fault)}: ${excerpt(text)}`
}

export const arrayFault = ({ json, text }: TestResponse): string => {
  const what = json === undefined ? 'not JSON' : isJsonObject(json) ? 'an object' : 'not an array'
  return text === '' ? 'the body is empty' : `the body is ${what}: ${excerpt(text)}`
}

export const shownElement = (list: TestResponse, element: unknown): string =>
  excerpt(list.redact(String(JSON.stringify(element))))

/** @param hasTag Whether an element was created with a tag. */
export const elementsFault = (list: TestResponse, hasTag: (element: unknown) => boolean): string | undefined => {
  for (const [index, element] of elementsOf(list).entries()) {
    const [fault] = isUsual(element) ? [] : shownPlantViolations(element, !hasTag(element))
    if (fault !== undefined) return `element ${index}: ${list.redact(fault)}: ${shownElement(list, element)}`
  }
  return undefined
}

/** Ignores missing fields and fields of another type, which break `list.elements`. */
export const storedFault = (list: TestResponse, element: unknown, plant: Fields): string | undefined => {
  const listed: Fields = isJsonObject(element) ? element : {}
  const differs = ['name', 'tag'].find(
    (field) => typeof plant[field] === 'string' && typeof listed[field] === 'string' && listed[field] !== plant[field],
  )
  if (differs === undefined) return undefined
  const shown = shownElement(list, element)
  return `the plant was created with the ${differs} "${plant[differs]}", but is listed as ${shown}`
}
