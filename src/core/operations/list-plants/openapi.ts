import type { OpenApiPart } from '../openapi-parts.ts'
import { failureResponses, openPoints, rateLimited, successResponse } from '../openapi-parts.ts'
import { maxLimitOf, rejectsOverMax } from './limit.ts'

/** `GET /plants` in the OpenAPI document. */
export const listPlantsPart: OpenApiPart = (assumptions) => ({
  parameters: [
    {
      name: 'limit',
      in: 'query',
      description: 'The largest number of plants to return.',
      required: false,
      schema: {
        type: 'integer',
        minimum: assumptions['list.zeroLimit'] === 'reject' ? 1 : 0,
        ...(rejectsOverMax(assumptions) && { maximum: maxLimitOf(assumptions) }),
        ...(assumptions['list.defaultLimit'] !== 'none' && { default: assumptions['list.defaultLimit'] }),
      },
      ...openPoints(
        'list.defaultLimit',
        'list.maxLimit',
        'list.zeroLimit',
        'list.invalidLimit',
        'list.limitFormat',
        'list.repeatedLimit',
      ),
    },
  ],
  responses: {
    [assumptions['list.status']]: {
      ...successResponse(assumptions, 'The plants that the caller may access, never more than limit.', {
        type: 'array',
        items: { $ref: '#/components/schemas/Plant' },
        ...openPoints('list.order', 'list.paging'),
      }),
      ...openPoints('list.status', 'json.contentType'),
    },
    ...failureResponses(assumptions, ['missing-token', 'invalid-token', 'invalid-limit', ...rateLimited(assumptions)]),
  },
})
