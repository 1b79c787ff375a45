import { schemas } from './schemas.ts'

export type Json = { readonly [key: string]: unknown }

export const fixtureFileSchema = (): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Fixtures of plant-mock',
  description:
    'The plants that a mock starts with. access lists the tokens of the callers that see a plant; without it, all do.',
  type: 'object',
  properties: { $schema: { type: 'string' }, plants: { type: 'array', items: schemas.fixturePlant } },
  required: ['plants'],
  additionalProperties: false,
})
