import { assumptionRegistry, valuesOf } from '../assumptions/registry.ts'
import { type Json, jsonSchema } from '../contract/json-schema.ts'
import { problemTypes } from '../contract/problems.ts'
import { schemas } from '../contract/schemas.ts'
import { faultSchema } from '../faults/fault.ts'
import { faultKinds } from '../http/exchange.ts'
import { journalSources } from '../journal/entry.ts'
import { operations } from '../operations/operations.ts'
import { outcomes } from '../operations/outcomes.ts'

const object = (properties: Json, optional: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})
const list = (items: Json): Json => ({ type: 'array', items })
const text: Json = { type: 'string' }
const count: Json = { type: 'integer', minimum: 0 }
const value: Json = { type: ['string', 'integer'] }
const operation: Json = { enum: Object.keys(operations) }
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const violation = { section: text, detail: text, in: { enum: ['request', 'answer'] } }

const line: Json = {
  id: count,
  time: { type: 'string', format: 'date-time' },
  milliseconds: { type: 'number' },
  operation,
  caller: { type: 'string', description: 'A pseudonym, never a token.' },
  method: text,
  url: text,
  status: count,
  source: { enum: journalSources },
  assumptions: list(text),
  problem: { enum: Object.keys(problemTypes) },
  fault: { enum: faultKinds },
  delay: { type: 'number' },
  violations: list(object(violation)),
}
const message = object({ headers: { type: 'object', additionalProperties: text }, body: text, json: {} }, [
  'body',
  'json',
])
const optionalInLine = ['operation', 'caller', 'problem', 'fault', 'delay']

/** Every shape of the control interface. */
export const shapes = {
  Index: object({
    name: text,
    version: text,
    routes: list(object({ method: text, path: text, summary: text })),
  }),
  State: object(
    {
      name: text,
      version: text,
      session: text,
      plants: count,
      requests: count,
      violations: count,
      faults: count,
      sessions: count,
      assumed: { type: 'object', additionalProperties: value },
    },
    ['session'],
  ),
  Plants: object({ plants: list(jsonSchema(schemas.fixturePlant)) }),
  Caller: object({ caller: { type: 'string', description: 'The token of a caller.' } }),
  Snapshots: object({ snapshots: list(text) }),
  Snapshot: object({ name: text }),
  Filter: object(
    {
      operation,
      method: text,
      status: count,
      caller: { type: 'string', description: 'The token of a caller, or its pseudonym.' },
      source: { enum: journalSources },
      problem: { enum: Object.keys(problemTypes) },
      fault: { enum: faultKinds },
      violating: { type: 'boolean' },
    },
    ['operation', 'method', 'status', 'caller', 'source', 'problem', 'fault', 'violating'],
  ),
  Entry: object({ ...line, request: message, response: message }, optionalInLine),
  Entries: object({ requests: list(ref('Entry')) }),
  Count: object({ count }),
  Violations: object({
    violations: list(object({ ...violation, request: count, operation, exchange: text }, ['operation'])),
  }),
  Fault: jsonSchema(faultSchema),
  FaultId: object({ id: text }),
  Faults: object({ faults: list(object({ id: text, name: text, met: count, left: count }, ['left'])) }),
  Assume: {
    type: 'object',
    properties: Object.fromEntries(assumptionRegistry.map((row) => [row.id, { enum: valuesOf(row) }])),
    additionalProperties: false,
  },
  Assumptions: object({
    values: object(Object.fromEntries(assumptionRegistry.map((row) => [row.id, { enum: valuesOf(row) }]))),
    registry: list(
      object(
        {
          id: text,
          section: text,
          question: text,
          default: value,
          alternatives: list(value),
          rare: { const: true },
          value,
          meaning: text,
          provenance: text,
        },
        ['rare', 'provenance'],
      ),
    ),
  }),
  Seed: object({ seed: { type: 'integer' } }),
  Fixtures: object({ fixtures: list(text) }),
  Coverage: object({
    coverage: list(
      object({
        operation,
        outcome: { enum: [...new Set(Object.values(outcomes).flatMap((rows) => Object.keys(rows)))] },
        meaning: text,
        count,
      }),
    ),
  }),
  Sessions: object({ sessions: list(object({ id: text, requests: count })) }),
  Document: { type: 'object' },
} as const satisfies Record<string, Json>

export type SchemaName = keyof typeof shapes
