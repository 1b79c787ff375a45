import { PlantMockError } from './errors.ts'
import { isJsonObject } from './json.ts'

/** @throws PlantMockError with `hint` when the body is not a JSON object. */
export const objectIn = (body: unknown, hint: string): Readonly<Record<string, unknown>> => {
  if (!isJsonObject(body)) throw new PlantMockError(hint)
  return body
}

/** @throws PlantMockError for a member with another name, which would have no effect. */
export const checkMembers = (body: Readonly<Record<string, unknown>>, names: readonly string[], hint: string): void => {
  const unknown = Object.keys(body).some((name) => !names.includes(name))
  if (unknown) throw new PlantMockError(`${hint} Members are ${names.join(', ')}.`)
}

/** A member of the body. @throws PlantMockError with `hint` when it is missing or not valid. */
export const memberIn = <T>(body: unknown, name: string, isValid: (value: unknown) => boolean, hint: string): T => {
  const value = objectIn(body, hint)[name]
  if (!isValid(value)) throw new PlantMockError(hint)
  return value as T
}
