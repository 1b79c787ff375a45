import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { Json } from '../contract/json-schema.ts'
import {
  malformedTokenStatus,
  type ProblemType,
  problemStatus,
  problemTypes,
  unknownTokenStatus,
} from '../contract/problems.ts'
import { isJsonLikeType, jsonTypeOf } from '../http/media-type.ts'
import { failureBody, failureForm, formDecidedBy } from './failure-body.ts'

/** The part of an operation in the OpenAPI document: parameters, request body and responses. */
export type OpenApiPart = (assumptions: Assumptions) => Json

/** Marks what the contract leaves open with the assumptions behind it. */
export const openPoints = (...ids: readonly AssumptionId[]): Json => ({ 'x-plant-mock-assumption': ids })

export const successResponse = (assumptions: Assumptions, description: string, schema: Json): Json => ({
  description,
  content: { [jsonTypeOf(assumptions)]: { schema } },
})

export const rateLimited = (assumptions: Assumptions): readonly ProblemType[] =>
  assumptions['rate.limit'] === 'none' ? [] : ['rate-limited']

/** Failure responses by status; problem types that share a status share a response. */
export const failureResponses = (assumptions: Assumptions, types: readonly ProblemType[]): Json => {
  const byStatus = new Map<number, Set<ProblemType>>()
  for (const type of types)
    for (const status of statusesOf(type, assumptions))
      byStatus.set(status, (byStatus.get(status) ?? new Set()).add(type))
  return Object.fromEntries(
    [...byStatus].map(([status, types]) => {
      const group = [...types]
      return [
        status,
        {
          description: group.map((type) => problemTypes[type].title).join('; '),
          ...failureContent(assumptions, status, group),
          'x-plant-mock-assumption': [
            ...new Set(group.flatMap((type) => [...formDecidedBy(type), ...(problemTypes[type].decidedBy ?? [])])),
          ],
        },
      ]
    }),
  )
}

/** A token that is not known may return another status than one that is not well-formed. */
const statusesOf = (type: ProblemType, assumptions: Assumptions): readonly number[] => {
  const status = problemStatus(type, assumptions)
  if (type === 'missing-token') return [status, malformedTokenStatus(assumptions)]
  return type === 'invalid-token' ? [malformedTokenStatus(assumptions), unknownTokenStatus(assumptions)] : [status]
}

const failureContent = (assumptions: Assumptions, status: number, group: readonly ProblemType[]): Json => {
  const content: Record<string, { readonly schema: Json; readonly examples: Record<string, Json> }> = {}
  for (const type of group) {
    const form = failureForm(type, assumptions)
    const failure = failureBody({ type, status, detail: problemTypes[type].title }, form, jsonTypeOf(assumptions))
    if (failure === undefined) continue
    const { contentType, body } = failure
    const value = isJsonLikeType(contentType) ? (JSON.parse(body) as Json) : body
    content[contentType] ??= { schema: isJsonLikeType(contentType) ? schemaOf(form) : { type: 'string' }, examples: {} }
    content[contentType].examples[type] = { value }
  }
  return Object.keys(content).length === 0 ? {} : { content }
}

const schemaOf = (form: Assumptions['error.body']): Json => {
  if (form === 'problem') return { $ref: '#/components/schemas/Problem' }
  if (form !== 'json') return { type: 'object' }
  return {
    type: 'object',
    properties: { error: { type: 'string' }, message: { type: 'string' } },
    required: ['error', 'message'],
  }
}

/** The schema of a problem document (RFC 9457). */
export const problemSchema: Json = {
  type: 'object',
  description: 'A problem document (RFC 9457).',
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'JSON pointer to the invalid field, as a URI fragment.' },
          parameter: { type: 'string', description: 'The invalid query parameter.' },
          detail: { type: 'string' },
        },
        required: ['detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail'],
  ...openPoints('error.body'),
}
