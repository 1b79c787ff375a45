import type { Plant } from '../../core/contract/schemas.ts'
import { isJsonObject } from '../../util/json.ts'
import type { TestResponse } from '../send-request.ts'
import { passedIf, type Verdict } from '../verdict.ts'

/** A type that ends in +json is JSON too (RFC 6839, 3.1). */
export const checkJsonType = (response: TestResponse): Verdict => {
  const type = response.headers.get('content-type') ?? 'missing'
  const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)
  return passedIf(isJson, response, `Content-Type is ${type}`)
}

/** A plant as responses show it: exactly `name` and `tag` (2.1, 2.2). */
export const isPlant = (value: unknown): value is Plant =>
  isJsonObject(value) &&
  Object.keys(value).sort().join() === 'name,tag' &&
  typeof value.name === 'string' &&
  typeof value.tag === 'string'
