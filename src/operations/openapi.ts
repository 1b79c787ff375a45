import {
  type AssumptionId,
  type Assumptions,
  assumptionRegistry,
  defaultAssumptions,
} from '../assumptions/registry.ts'
import { type Json, jsonSchema } from '../contract/json-schema.ts'
import { type ProblemType, problemDocument, problemStatus, problemTypes } from '../contract/problems.ts'
import { schemas } from '../contract/schemas.ts'
import { operations, plantsPath } from './operations.ts'

/**
 * The OpenAPI 3.1 document of the service as the mock plays it under `assumptions`.
 * Whatever the contract does not state carries `x-plant-mock-assumption` with the ids of the assumptions behind it.
 */
export const openApiDocument = (assumptions: Assumptions = defaultAssumptions, version = '0.0.0'): Json => ({
  openapi: '3.1.1',
  info: {
    title: 'Plant store',
    version,
    summary: 'Creates plants and lists the plants that a caller may access.',
    description:
      'Built from the tables of plant-mock. Where the contract leaves a point open, `x-plant-mock-assumption` ' +
      'names the assumption that fills it; `x-plant-mock-assumptions` lists them all with the values in force.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: 'http://127.0.0.1:4010', description: 'plant-mock at its default address' }],
  security: [{ bearer: [] }],
  tags: [{ name: 'plants', description: 'The plants that a caller may access.' }],
  paths: { [plantsPath]: { get: listOperation(assumptions), post: createOperation(assumptions) } },
  components: {
    schemas: {
      // Exactly these fields (contract.md, 2.1 and 2.2).
      Plant: { ...jsonSchema(schemas.plant), additionalProperties: false },
      NewPlant: {
        ...jsonSchema(schemas.newPlant(assumptions)),
        ...openPoints(
          'create.required',
          'create.unknownFields',
          'create.emptyStrings',
          'create.idRange',
          'plant.meaning',
        ),
      },
      ...(assumptions['error.body'] === 'problem' && { Problem: problemSchema }),
    },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', ...openPoints('auth.tokens', 'auth.issue') },
    },
  },
  'x-plant-mock-assumptions': assumptionRegistry.map((row) => ({
    id: row.id,
    section: row.section,
    question: row.question,
    value: assumptions[row.id],
    alternatives: [row.default, ...row.alternatives].filter((value) => value !== assumptions[row.id]),
    meaning: row.meaning(assumptions[row.id]),
  })),
})

const openPoints = (...ids: readonly AssumptionId[]): Json => ({ 'x-plant-mock-assumption': ids })

const describe = (operation: keyof typeof operations): Json => ({
  operationId: operation,
  summary: operations[operation].summary,
  description: `contract.md, ${operations[operation].section}`,
  tags: ['plants'],
})

const answer = (assumptions: Assumptions, description: string, schema: Json): Json => ({
  description,
  content: { [contentTypeOf(assumptions)]: { schema } },
})

const contentTypeOf = (assumptions: Assumptions): string =>
  assumptions['json.contentType'] === 'charset' ? 'application/json; charset=utf-8' : 'application/json'

const createOperation = (assumptions: Assumptions): Json => ({
  ...describe('createPlant'),
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/NewPlant' } } },
  },
  responses: {
    [assumptions['create.status']]: {
      ...answer(assumptions, 'The plant as it was stored, without its id.', {
        $ref: '#/components/schemas/Plant',
      }),
      ...openPoints('create.status', 'json.contentType'),
    },
    ...failures(assumptions, [
      'missing-token',
      'invalid-token',
      'malformed-json',
      'invalid-plant',
      ...(assumptions['create.duplicateId'] === 'conflict' ? (['duplicate-id'] as const) : []),
      'body-too-large',
      ...(assumptions['create.contentType'] === 'require' ? (['unsupported-media-type'] as const) : []),
      ...rateLimited(assumptions),
    ]),
  },
})

const listOperation = (assumptions: Assumptions): Json => ({
  ...describe('listPlants'),
  parameters: [
    {
      name: 'limit',
      in: 'query',
      description: 'The largest number of plants to return.',
      required: false,
      schema: {
        type: 'integer',
        minimum: assumptions['list.zeroLimit'] === 'reject' ? 1 : 0,
        ...(assumptions['list.maxLimit'] === 'reject' && { maximum: 100 }),
        ...(assumptions['list.defaultLimit'] !== 'none' && { default: assumptions['list.defaultLimit'] }),
      },
      ...openPoints('list.defaultLimit', 'list.maxLimit', 'list.zeroLimit', 'list.invalidLimit'),
    },
  ],
  responses: {
    [assumptions['list.status']]: {
      ...answer(assumptions, 'The plants that the caller may access, never more than limit.', {
        type: 'array',
        items: { $ref: '#/components/schemas/Plant' },
        ...openPoints('list.order', 'list.paging'),
      }),
      ...openPoints('list.status', 'json.contentType'),
    },
    ...failures(assumptions, [
      'missing-token',
      'invalid-token',
      'invalid-limit',
      ...rateLimited(assumptions),
    ]),
  },
})

const rateLimited = (assumptions: Assumptions): readonly ProblemType[] =>
  assumptions['rate.limit'] === 'none' ? [] : ['rate-limited']

/** Failure responses by status; problem types that share one status share one response. */
const failures = (assumptions: Assumptions, types: readonly ProblemType[]): Json => {
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
          ...new Set(group.map((type) => problemTypes[type].decidedBy)),
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
            examples: Object.fromEntries(
              group.map((type) => [
                type,
                { value: problemDocument(type, problemStatus(type, assumptions), problemTypes[type].title) },
              ]),
            ),
          },
        },
      }
    case 'json':
      return {
        content: {
          [contentTypeOf(assumptions)]: {
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

const problemSchema: Json = {
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
          pointer: { type: 'string', description: 'JSON pointer to the field in fault, as a URI fragment.' },
          parameter: { type: 'string', description: 'The query parameter in fault.' },
          detail: { type: 'string' },
        },
        required: ['detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail'],
  ...openPoints('error.body'),
}
