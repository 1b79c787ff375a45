import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { Json } from '../contract/json-schema.ts'
import { type ProblemType, problemDocument, problemStatus, problemTypes } from '../contract/problems.ts'

/** The part of an operation in the OpenAPI document: parameters, request body and responses. */
export type OpenApiPart = (assumptions: Assumptions) => Json

/** Marks what the contract leaves open with the assumptions behind it. */
export const openPoints = (...ids: readonly AssumptionId[]): Json => ({ 'x-plant-mock-assumption': ids })

const jsonContentType = (assumptions: Pick<Assumptions, 'json.contentType'>): string =>
  assumptions['json.contentType'] === 'charset' ? 'application/json; charset=utf-8' : 'application/json'

export const successResponse = (assumptions: Assumptions, description: string, schema: Json): Json => ({
  description,
  content: { [jsonContentType(assumptions)]: { schema } },
})

export const rateLimited = (assumptions: Assumptions): readonly ProblemType[] =>
  assumptions['rate.limit'] === 'none' ? [] : ['rate-limited']

/** Failure responses by status; problem types that share a status share a response. */
export const failureResponses = (assumptions: Assumptions, types: readonly ProblemType[]): Json => {
  const byStatus = new Map<number, ProblemType[]>()
  for (const type of types) {
    const status = problemStatus(type, assumptions)
    byStatus.set(status, [...(byStatus.get(status) ?? []), type])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((type) => problemTypes[type].title).join('; '),
        ...failureContent(assumptions, group),
        'x-plant-mock-assumption': [
          'error.body',
          ...new Set(group.flatMap((type) => problemTypes[type].decidedBy ?? [])),
        ],
      },
    ]),
  )
}

const failureContent = (assumptions: Assumptions, group: readonly ProblemType[]): Json => {
  switch (assumptions['error.body']) {
    case 'problem':
      return {
        content: {
          'application/problem+json': {
            schema: { $ref: '#/components/schemas/Problem' },
            examples: Object.fromEntries(group.map((type) => [type, { value: example(type, assumptions) }])),
          },
        },
      }
    case 'json':
      return {
        content: {
          [jsonContentType(assumptions)]: {
            schema: {
              type: 'object',
              properties: { error: { type: 'string' }, message: { type: 'string' } },
              required: ['error', 'message'],
            },
          },
        },
      }
    case 'text':
      return { content: { 'text/plain; charset=utf-8': { schema: { type: 'string' } } } }
    case 'empty':
      return {}
  }
}

const example = (type: ProblemType, assumptions: Assumptions) =>
  problemDocument(type, problemStatus(type, assumptions), problemTypes[type].title)

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
