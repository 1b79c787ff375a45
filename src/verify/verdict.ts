import { type Plant, shownPlantViolations } from '../core/contract/schemas.ts'
import { isJsonLikeType } from '../core/http/media-type.ts'
import { isJsonObject } from '../util/json.ts'
import { shorten } from '../util/text.ts'
import type { CheckContext } from './sample-plants.ts'
import { elementsOf, isPassing, isTokenRefused, succeeded, type TestResponse } from './send-request.ts'

export type Verdict =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'skipped'; readonly reason: string }
  /** `curl` repeats the request that shows the failure, with `$TOKEN` for the token. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly curl: string }
  /** Like `failed`, for behaviour that users expect but the contract does not state: it breaks nothing. */
  | { readonly outcome: 'advised'; readonly reason: string; readonly curl: string }

export const passed: Verdict = { outcome: 'passed' }
export const skipped = (reason: string): Verdict => ({ outcome: 'skipped', reason })
export const failed = ({ curl }: Pick<TestResponse, 'curl'>, reason: string): Verdict => ({
  outcome: 'failed',
  reason,
  curl,
})
export const passedIf = (isKept: boolean, response: TestResponse, reason: string): Verdict =>
  isKept ? passed : failed(response, reason)
/** Whether a response is neither a success nor a failure of the request. A redirect is followed by some clients. */
export const isNoVerdict = (response: TestResponse): boolean =>
  (response.status < 400 && !succeeded(response)) ||
  response.status === 408 ||
  isPassing(response) ||
  isTokenRefused(response)
export const passedIfOk = (response: TestResponse): Verdict =>
  isNoVerdict(response) ? skipped(describe(response)) : passedIf(succeeded(response), response, describe(response))

export const excerpt = (text: string): string => (text === '' ? 'empty' : shorten(text, 80))

export const describe = ({ status, headers, text, isDisguised = false }: TestResponse): string => {
  if (isDisguised) return `it responds with ${status} to what seems to be an error: ${excerpt(text)}`
  return status >= 300 && status < 400
    ? `it redirects (${status}) to ${headers.get('location') ?? 'nowhere'}, which is not followed`
    : `it responds with ${status}: ${excerpt(text)}`
}

/** A statement of the contract that every service must keep, or advice. */
export type Rule = {
  readonly id: string
  /** The sections of the contract that state it; empty for advice. */
  readonly section: string
  readonly statement: string
  /** Whether the rule is checked again at the end, because it may be broken after a while. */
  readonly isRepeated?: true
  /** Whether users expect it of any service, but the contract does not state it. */
  readonly isAdvice?: true
  /** Whether refused creates show that it is kept, which they do only if a later valid create succeeds. */
  readonly reliesOnRefusals?: true
  /** @throws InconclusiveError when the rule cannot be checked. */
  readonly check: (context: CheckContext) => Promise<Verdict>
}

/** Rules by id, in the order of the check. */
export type Rules = Readonly<Record<string, Omit<Rule, 'id'>>>

export const checkJsonType = (response: TestResponse): Verdict => {
  const type = response.headers.get('content-type') ?? 'missing'
  return passedIf(isJsonLikeType(type), response, `Content-Type is ${type}`)
}

/** A plant as responses show it: exactly `name` and `tag` (2.1, 2.2). */
export const isPlant = (value: unknown): value is Plant => shownPlantViolations(value).length === 0

/** What is wrong with the plant that a create returns, in words. */
export const createdFault = (response: TestResponse, sent: Readonly<Record<string, unknown>>): string => {
  const { json, text } = response
  if (text === '') return 'the body is empty'
  if (json === undefined) return `the body is not JSON: ${excerpt(text)}`
  const [fault] = shownPlantViolations(json)
  const field = ['name', 'tag'].find((name) => isJsonObject(json) && json[name] !== sent[name])
  return `${fault ?? `${field} is not as it was sent`}: ${excerpt(text)}`
}

/** What is wrong with a list that is no array, in words. */
export const arrayFault = ({ json, text }: TestResponse): string => {
  const what = json === undefined ? 'not JSON' : isJsonObject(json) ? 'an object' : 'not an array'
  return text === '' ? 'the body is empty' : `the body is ${what}: ${excerpt(text)}`
}

export const shownElement = (list: TestResponse, element: unknown): string =>
  excerpt(list.redact(String(JSON.stringify(element))))

export const checkElements = (list: TestResponse): Verdict => {
  const elements = elementsOf(list)
  const index = elements.findIndex((element) => !isPlant(element))
  const [fault] = shownPlantViolations(elements[index])
  return index === -1 ? passed : failed(list, `element ${index}: ${fault}: ${shownElement(list, elements[index])}`)
}

/**
 * Whether an element of a list is as its plant was created. A missing field, or one of another type, breaks list.elements
 * instead.
 */
export const checkStored = (
  list: TestResponse,
  element: unknown,
  plant: Readonly<Record<string, unknown>>,
): Verdict => {
  if (!isJsonObject(element)) return passed
  const differs = (['name', 'tag'] as const).find(
    (field) =>
      typeof plant[field] === 'string' && typeof element[field] === 'string' && element[field] !== plant[field],
  )
  if (differs === undefined) return passed
  const shown = shownElement(list, element)
  return failed(list, `the plant was created with the ${differs} "${plant[differs]}", but is listed as ${shown}`)
}
