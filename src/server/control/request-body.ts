import { bodyTooLarge, type Exchange } from '../../core/http/exchange.ts'
import { isJsonType } from '../../core/http/media-type.ts'
import type { RequestFilter } from '../../core/journal/entry.ts'
import { parseFilter } from '../../core/journal/filter.ts'
import type { PlantFields } from '../../core/mock/plant-filter.ts'
import { PlantMockError } from '../../util/errors.ts'
import { isNestedTooDeep, parseJson } from '../../util/json.ts'
import { memberIn, objectIn } from '../../util/members.ts'
import type { Refusal } from './guard.ts'

/** A control request may carry 64 MiB: enough for a fixture of several hundred thousand plants. */
export const maxBodyBytes = 64 * 1024 * 1024

/** Parses the body of a control request; the value is `undefined` when there is no body. */
export const parseBody = ({ body, header }: Exchange): { readonly value: unknown } | Refusal => {
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

/** The mock instance checks the filter. */
export const plantSearchIn = (body: unknown): { readonly caller: string } | { readonly filter: PlantFields } => {
  const hint = 'Send the token of a caller such as {"caller":"alice"}, or {"filter":{…}} with values of fields.'
  const { caller, filter } = objectIn(body, hint)
  if (filter === undefined) return { caller: memberIn(body, 'caller', isText, hint) }
  if (caller !== undefined) throw new PlantMockError(hint)
  return { filter: filter as PlantFields }
}

const isText = (value: unknown): boolean => typeof value === 'string'

export const seedIn = (body: unknown): number =>
  memberIn(body, 'seed', Number.isSafeInteger, 'Send a seed that is a whole number, such as {"seed":7}.')

/** An absent body is an empty filter, which every exchange matches. */
export const filterIn = (body: unknown): RequestFilter => parseFilter(body === undefined ? {} : body)
