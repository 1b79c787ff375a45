import { isJsonObject } from '../../util/json.ts'
import { isPage, succeeded, type TestResponse } from './response.ts'
import { type CallerRole, isCreate, namePrefix, type TestRequest } from './test-request.ts'

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
  // A refusal creates nothing. A body that is not JSON may still become a plant.
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
