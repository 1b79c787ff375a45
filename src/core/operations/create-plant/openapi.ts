import type { OpenApiPart } from '../openapi-parts.ts'
import { failureResponses, openPoints, rateLimited, successResponse } from '../openapi-parts.ts'

/** `POST /plants` in the OpenAPI document. */
export const createPlantPart: OpenApiPart = (assumptions) => ({
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/NewPlant' } } },
  },
  responses: {
    [assumptions['create.status']]: {
      ...successResponse(assumptions, 'The plant as it was stored, without its id.', {
        $ref: '#/components/schemas/Plant',
      }),
      ...openPoints('create.status', 'json.contentType'),
    },
    ...failureResponses(assumptions, [
      'missing-token',
      'invalid-token',
      'malformed-json',
      'invalid-plant',
      ...(assumptions['create.duplicateId'].startsWith('conflict') ? (['duplicate-id'] as const) : []),
      'body-too-large',
      'unsupported-encoding',
      ...(assumptions['create.contentType'] === 'require' ? (['unsupported-media-type'] as const) : []),
      ...rateLimited(assumptions),
    ]),
  },
})
