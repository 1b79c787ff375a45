import { isJsonObject, jsonOrUndefined, type ParsedJson, parseJson } from '../../../util/json.ts'
import { andThen } from '../../../util/maybe-promise.ts'
import type { AssumptionId, Assumptions } from '../../assumptions/registry.ts'
import { assumptionBehind, type FieldProblem } from '../../contract/problems.ts'
import {
  describeField,
  type PlantDraft,
  plantValidator,
  sentPlantViolations,
  shownPlantViolations,
} from '../../contract/schemas.ts'
import type { ViolationFinding } from '../../contract/violation.ts'
import { type Body, bodyNotUtf8, bodyTooLarge, type Exchange } from '../../http/exchange.ts'
import { contentCoding, isJsonType } from '../../http/media-type.ts'
import {
  type CheckedRequest,
  type Context,
  failureOutcome,
  failureOutcomes,
  type Operation,
  type Problem,
  queryNames,
} from '../operation.ts'

const handle: Operation['handle'] = (exchange, caller, context) => {
  const { assumptions, store, hidden, json } = context
  const parsed = parseBody(exchange, context)
  if ('problem' in parsed) return { ...parsed, assumptions: [...(parsed.assumptions ?? []), ...aboutRequest(exchange)] }
  const touched = touchedBy(parsed.value, exchange)
  const checked = context.validate(parsed.value)
  if ('errors' in checked) return invalidPlant(checked.errors, touched)

  const { value: draft } = checked
  return andThen(store.create(caller, draft, assumptions['create.duplicateId']), ({ outcome, plant }) => {
    if (outcome === 'conflict') return duplicateId(draft, touched)
    if (outcome === 'created') hidden.add(caller, plant, assumptions['create.visibility'])
    return {
      status: assumptions['create.status'],
      body: json.plant(plant),
      assumptions: touched.length === 0 ? decisive : [...decisive, ...touched],
    }
  })
}

const parseBody = (exchange: Exchange, { assumptions }: Context): { readonly value: unknown } | Problem => {
  const { body } = exchange
  if (body === bodyTooLarge)
    return { problem: 'body-too-large', detail: `The body is larger than ${sizeText(assumptions['body.maxSize'])}.` }
  const coding = contentCoding(exchange)
  if (coding !== undefined)
    return {
      problem: 'unsupported-encoding',
      detail: `The body has the Content-Encoding ${coding}. Send it as it is, without Content-Encoding.`,
      // RFC 9110, 15.5.16.
      headers: ['Accept-Encoding', 'identity'],
    }
  if (assumptions['create.contentType'] !== 'ignore') {
    const contentType = exchange.header('content-type')
    if (!isJsonType(contentType))
      return {
        problem: assumptions['create.contentType'] === 'require' ? 'unsupported-media-type' : 'invalid-plant',
        detail: `Send the header Content-Type: application/json; ${contentType ?? 'no Content-Type'} was sent.`,
      }
  }
  const parsed = parseText(body)
  return 'error' in parsed ? { problem: 'malformed-json', detail: `${parsed.error}.` } : parsed
}

const sizeText = (size: Assumptions['body.maxSize']): string => {
  if (typeof size === 'number') return `${size} bytes`
  return size === 'none' ? 'the mock takes' : size
}

const parseText = (body: Exclude<Body, typeof bodyTooLarge>): ParsedJson => {
  if (body === undefined) return { error: 'The request has no body' }
  if (body === bodyNotUtf8) return { error: 'The body is not UTF-8' }
  return body.trim() === '' ? { error: 'The body is empty' } : parseJson(body)
}

const invalidPlant = (errors: readonly FieldProblem[], touched: readonly AssumptionId[]): Problem => ({
  problem: 'invalid-plant',
  detail: `${errors.map(describeField).join('; ')}.`,
  errors,
  assumptions: [...errors.flatMap(({ code }) => assumptionBehind[code] ?? []), ...touched],
})

const duplicateId = ({ id }: PlantDraft, touched: readonly AssumptionId[]): Problem => ({
  problem: 'duplicate-id',
  detail: `A plant with id ${id} exists. Use another id.`,
  errors: [{ code: 'taken', pointer: '#/id', detail: 'is taken' }],
  assumptions: touched,
})

/** The assumptions that decide every create that succeeds. */
const decisive: readonly AssumptionId[] = [
  'create.status',
  'create.duplicateId',
  'auth.tokens',
  'rate.limit',
  'json.keyOrder',
  'json.contentType',
]

/** The assumptions about points that a body raises, whatever the mock makes of them. */
const touchedBy = (json: unknown, exchange: Exchange): readonly AssumptionId[] => {
  const touched = [...aboutRequest(exchange)]
  if (!isJsonObject(json)) return touched
  let known = 0
  let unknown = 0
  for (const key in json)
    if (key === 'id' || key === 'name' || key === 'tag') known++
    else unknown++
  if (known < 3) touched.push('create.required')
  if (unknown > 0) touched.push('create.unknownFields')
  if (json.name === '' || json.tag === '') touched.push('create.emptyStrings')
  return touched
}

/** The same about headers and size of a request. */
const aboutRequest = (exchange: Exchange): readonly AssumptionId[] => {
  const isJson = isJsonType(exchange.header('content-type'))
  const isSmall = typeof exchange.body === 'string' && isSmallBody(exchange.body)
  if (isJson && isSmall) return none
  return [...(isJson ? none : (['create.contentType'] as const)), ...(isSmall ? none : (['body.maxSize'] as const))]
}

const none: readonly AssumptionId[] = []

/** A body of more bytes is refused under `body.maxSize=16KiB`. */
const maxSmallBody = 16 * 1024 - 1

/** perf: only long bodies are encoded, to count their bytes (`npm run bench`, POST). A character has three at most. */
const isSmallBody = (body: string): boolean =>
  3 * body.length <= maxSmallBody || new TextEncoder().encode(body).length <= maxSmallBody

const section = '4.1'

const checkRequest: Operation['checkRequest'] = (request) => [
  ...queryNames(request.query).map((name) => ({ section, detail: `A create has no query parameter ${name}.` })),
  ...contentTypeFindings(request.header('content-type')),
  ...bodyFindings(request),
]

const contentTypeFindings = (contentType: string | undefined): readonly ViolationFinding[] => {
  if (isJsonType(contentType)) return []
  const sent = contentType === undefined ? 'none was sent' : `it is ${contentType}`
  return [{ section, detail: `Content-Type must be application/json; ${sent}.` }]
}

const bodyFindings = (request: CheckedRequest): readonly ViolationFinding[] => {
  const coding = contentCoding(request)
  if (coding !== undefined)
    return [{ section, detail: `The body must be JSON; it has the Content-Encoding ${coding}.` }]
  if (typeof request.body === 'symbol') return []
  const parsed = parseJson(request.body ?? '')
  if ('error' in parsed) return [{ section, detail: 'The body must be a JSON object; it is not JSON.' }]
  return sentPlantViolations(parsed.value).map((detail) => ({ section: `2, ${section}`, detail }))
}

/** Violations in the response of a create: exactly `name` and `tag`, as sent (contract.md, 2.1 and 4.1). */
const checkResponse: Operation['checkResponse'] = (plant, request) => {
  const findings = shownPlantViolations(plant).map((detail) => ({ section: '2.1, 4.1', detail: `${detail}.` }))
  if (findings.length > 0 || request.isRepeated) return findings
  const sent = typeof request.body === 'string' ? jsonOrUndefined(request.body) : undefined
  if (!isJsonObject(sent)) return []
  return ['name', 'tag'].flatMap((field) =>
    sent[field] === undefined || sent[field] === (plant as Record<string, unknown>)[field]
      ? []
      : [{ section, detail: `${field} differs from the request.` }],
  )
}

/** A body that is refused. */
const contradictions: Operation['contradictions'] = (_, { body }, assumptions) => {
  const validated = plantValidator(assumptions)(typeof body === 'string' ? jsonOrUndefined(body) : undefined)
  if ('value' in validated) return []
  return validated.errors.map((error) => ({
    by: [assumptionBehind[error.code] ?? []].flat(),
    detail: `The create is not refused: ${describeField(error)}`,
  }))
}

export const createPlant = {
  method: 'POST',
  path: '/plants',
  section: '4.1',
  summary: 'Add a plant to the store',
  handle,
  checkRequest,
  checkResponse,
  statusBy: 'create.status',
  contradictions,
  outcomes: {
    success: 'The plant was created',
    conflict: 'The id was taken: 409',
    'too-large': 'The body was too large: 413',
    unsupported: 'The body was not declared as plain JSON: 415',
    ...failureOutcomes,
  },
  outcomeOf: (reply) => (reply.status < 300 ? 'success' : failureOutcome(reply)),
} as const satisfies Operation
