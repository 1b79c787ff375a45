import { isJsonObject } from '../../util/json.ts'
import { isPage, succeeded, type TestResponse } from './response.ts'
import { type CallerRole, isCreate, namePrefix, type TestRequest } from './test-request.ts'

/** A plant that the check created, as it was sent. */
export type CreatedPlant = {
  readonly id?: unknown
  readonly name?: unknown
  readonly tag?: unknown
  /** The caller that created the plant. */
  readonly as: CallerRole
  /** False if the response does not show whether the plant was created: a redirect, a server error, or no response. */
  readonly certain: boolean
}

/**
 * The plant that a request created, or may have created; empty without such a plant.
 * @param response `undefined` if the service did not respond.
 */
export const createdPlants = (request: TestRequest, response: TestResponse | undefined): readonly CreatedPlant[] => {
  const { as, json: plant } = request
  if (!isCreate(request)) return []
  const certain = response !== undefined && succeeded(response) && !isPage(response)
  const status = response?.status ?? 500
  // A refusal creates nothing. A body that is not JSON may still become a plant.
  if (!certain && (plant === undefined || (status >= 400 && status < 500))) return []
  const { id, name, tag } = isJsonObject(plant) ? plant : {}
  return [{ id, name, tag, as, certain }]
}

/** Whether everybody would recognise a plant stored from this body as a sample plant, by the prefix. */
export const isRecognisable = (value: unknown): boolean => {
  if (value === undefined) return true
  return (
    isJsonObject(value) &&
    [value.name, value.tag].some((text) => typeof text === 'string' && text.startsWith(namePrefix))
  )
}
