import { type Plant, shownPlantViolations } from '../../core/contract/schemas.ts'
import { isJsonLikeType } from '../../core/http/media-type.ts'
import { isJsonObject } from '../../util/json.ts'
import { elementsOf, type TestResponse } from '../send-request.ts'
import { excerpt, failed, passed, passedIf, type Verdict } from '../verdict.ts'

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

/** An element of a list as a report shows it. */
export const shownElement = (list: TestResponse, element: unknown): string =>
  excerpt(list.redact(String(JSON.stringify(element))))

/** Whether all elements of a list are plants. */
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
