import type { ProblemType } from '../contract/problems.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import { bodyTooLarge, type Exchange } from '../http/exchange.ts'
import { isJsonType } from '../http/media-type.ts'
import type { RequestFilter } from '../journal/entry.ts'
import { PlantMockError } from '../util/errors.ts'
import { isJsonObject, isNestedTooDeep, parseJson } from '../util/json.ts'
import { parseFilter } from './filter.ts'

/** A control request may carry 64 MiB: enough for a fixture of several hundred thousand plants. */
export const maxBodyBytes = 64 * 1024 * 1024

/** Why a body was refused before its route saw it. */
export type BodyProblem = { readonly problem: ProblemType; readonly detail: string }

/** Parses the body of a control request; the value is `undefined` without a body. */
export const parseBody = ({
  body,
  header,
}: Pick<Exchange, 'body' | 'header'>): { readonly value: unknown } | BodyProblem => {
  if (body === undefined || body === '') return { value: undefined }
  if (body === bodyTooLarge)
    return { problem: 'body-too-large', detail: 'The body is larger than 64 MiB, the limit here.' }
  if (!isJsonType(header('content-type')))
    return { problem: 'unsupported-media-type', detail: 'Send the header Content-Type: application/json.' }
  if (typeof body === 'symbol') return { problem: 'malformed-json', detail: 'The body is not UTF-8.' }
  if (isNestedTooDeep(body))
    return { problem: 'control-invalid', detail: 'The body is nested more than 500 levels deep.' }
  const parsed = parseJson(body)
  return 'error' in parsed ? { problem: 'malformed-json', detail: `${parsed.error}.` } : parsed
}

/** @throws PlantMockError with `hint` when the body is not a JSON object. */
export const objectIn = (body: unknown, hint: string): Readonly<Record<string, unknown>> => {
  if (!isJsonObject(body)) throw new PlantMockError(hint)
  return body
}

/** The array `plants` of a body. The mock instance checks its elements. */
export const plantsIn = (body: unknown): readonly FixturePlant[] => {
  const hint = 'Send {"plants":[…]}, with plants as in a fixture file.'
  const { plants } = objectIn(body, hint)
  if (!Array.isArray(plants)) throw new PlantMockError(hint)
  return plants as readonly FixturePlant[]
}

export const callerIn = (body: unknown): string => {
  const hint = 'Send the token of a caller such as {"caller":"alice"}.'
  const { caller } = objectIn(body, hint)
  if (typeof caller !== 'string') throw new PlantMockError(hint)
  return caller
}

export const seedIn = (body: unknown): number => {
  const hint = 'Send a seed that is a whole number, such as {"seed":7}.'
  const { seed } = objectIn(body, hint)
  if (!Number.isSafeInteger(seed)) throw new PlantMockError(hint)
  return seed as number
}

/** An absent body is an empty filter, which every exchange matches. */
export const filterIn = (body: unknown): RequestFilter =>
  parseFilter(body === undefined ? {} : objectIn(body, 'Send a filter such as {"operation":"createPlant"}.'))
