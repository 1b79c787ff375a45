import { isShownPlant } from '../../core/contract/schemas.ts'
import { isJsonObject } from '../../util/json.ts'
import { elementsOf, succeeded, type TestResponse } from './response.ts'
import { isList, type TestRequest } from './test-request.ts'

/** A plant with `name` and `tag` alone, so that they are still compared; anything else as it is. */
const shownPart = (json: unknown): unknown => {
  if (!isJsonObject(json)) return json
  const shown = Object.fromEntries(Object.entries(json).filter(([key]) => key === 'name' || key === 'tag'))
  return isShownPlant(shown) ? shown : json
}

/** The response as the model would show it. `isUsable`: whether a success has the form that the contract states. */
export const comparable = (request: TestRequest, response: TestResponse) => {
  if (!succeeded(response)) return { seen: response, isUsable: true }
  const { json } = response
  const seen = { ...response, json: Array.isArray(json) ? json.map(shownPart) : shownPart(json) }
  const isUsable = isList(request)
    ? Array.isArray(json) && elementsOf(seen).every(isShownPlant)
    : isShownPlant(seen.json)
  return { seen, isUsable }
}
