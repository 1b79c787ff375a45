import type { Plant } from '../../core/contract/schemas.ts'
import { isJsonLikeType } from '../../core/http/media-type.ts'
import { isJsonObject } from '../../util/json.ts'
import { elementsOf, type TestResponse } from '../send-request.ts'
import { excerpt, failed, passed, passedIf, type Verdict } from '../verdict.ts'

export const checkJsonType = (response: TestResponse): Verdict => {
  const type = response.headers.get('content-type') ?? 'missing'
  return passedIf(isJsonLikeType(type), response, `Content-Type is ${type}`)
}

/** A plant as responses show it: exactly `name` and `tag` (2.1, 2.2). */
export const isPlant = (value: unknown): value is Plant =>
  isJsonObject(value) &&
  Object.keys(value).sort().join() === 'name,tag' &&
  typeof value.name === 'string' &&
  typeof value.tag === 'string'

/** An element of a list as a report shows it. */
export const shownElement = (list: TestResponse, element: unknown): string =>
  excerpt(list.redact(String(JSON.stringify(element))))

/** Whether all elements of a list are plants. */
export const checkElements = (list: TestResponse): Verdict => {
  const elements = elementsOf(list)
  const index = elements.findIndex((element) => !isPlant(element))
  return index === -1 ? passed : failed(list, `element ${index} is ${shownElement(list, elements[index])}`)
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
