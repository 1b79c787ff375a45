import { assumptionRegistry, valuesOf } from '../assumptions/registry.ts'
import { type Json, jsonSchema } from '../contract/json-schema.ts'
import { problemTypes } from '../contract/problems.ts'
import { schemas } from '../contract/schemas.ts'
import type { Violation } from '../contract/violation.ts'
import { faultSchema } from '../faults/fault.ts'
import { faultKinds } from '../http/reply.ts'
import { journalSources } from '../journal/recorded.ts'
import { operations } from '../operations/operations.ts'
import { filterFields } from './filter.ts'

const object = (properties: Json, optional: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})
const list = (items: Json): Json => ({ type: 'array', items })
export const text: Json = { type: 'string' }
export const wholeNumber: Json = { type: 'integer', minimum: 0 }
const value: Json = { type: ['string', 'integer'] }
const operation: Json = { enum: Object.keys(operations) }
const token: Json = { type: 'string', description: 'The token of a caller.' }
const violationIn: Record<Violation['in'], true> = { request: true, response: true }
const violation = { section: text, detail: text, in: { enum: Object.keys(violationIn) } }
const assumptionValues: Json = Object.fromEntries(assumptionRegistry.map((row) => [row.id, { enum: valuesOf(row) }]))

/** A reference to one of the shapes. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const line: Json = {
  id: wholeNumber,
  time: { type: 'string', format: 'date-time' },
  milliseconds: { type: 'number' },
  operation,
  caller: { type: 'string', description: 'A pseudonym, never a token.' },
  method: text,
  url: text,
  status: wholeNumber,
  source: { enum: journalSources },
  assumptions: list(text),
  problem: { enum: Object.keys(problemTypes) },
  fault: { enum: faultKinds },
  delay: { type: 'number', description: 'Milliseconds.' },
  violations: list(object(violation)),
}
const optionalInLine = ['operation', 'caller', 'problem', 'fault', 'delay']
const message = object({ headers: { type: 'object', additionalProperties: text }, body: text, json: {} }, [
  'body',
  'json',
])
const assumption = object(
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
)

/** The JSON Schemas of every request and response of the control interface. */
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
      plants: wholeNumber,
      requests: wholeNumber,
      violations: wholeNumber,
      faults: wholeNumber,
      sessions: wholeNumber,
      assumed: { type: 'object', additionalProperties: value },
    },
    ['session'],
  ),
  Plants: object({ plants: list(jsonSchema(schemas.fixturePlant)) }),
  Caller: object({ caller: token }),
  Snapshots: object({ snapshots: list(text) }),
  Snapshot: object({ name: text }),
  Filter: object(
    Object.fromEntries(
      Object.entries(filterFields).map(([name, { description, schema }]) => [name, { description, ...schema }]),
    ),
    Object.keys(filterFields),
  ),
  Entry: object({ ...line, request: message, response: message }, optionalInLine),
  Entries: object({ requests: list(ref('Entry')) }),
  Count: object({ count: wholeNumber }),
  Violations: object({
    violations: list(object({ ...violation, request: wholeNumber, operation, exchange: text }, ['operation'])),
  }),
  Fault: jsonSchema(faultSchema),
  FaultId: object({ id: text }),
  Faults: object({
    faults: list(object({ id: text, name: text, hits: wholeNumber, remaining: wholeNumber }, ['remaining'])),
  }),
  Assume: { type: 'object', properties: assumptionValues, additionalProperties: false },
  Assumptions: object({ values: object(assumptionValues), registry: list(assumption) }),
  Seed: object({ seed: { type: 'integer' } }),
  Fixtures: object({ fixtures: list(text) }),
  Coverage: object({
    coverage: list(
      object({
        operation,
        outcome: {
          enum: [...new Set(Object.values(operations).flatMap(({ outcomes }) => Object.keys(outcomes)))],
        },
        meaning: text,
        count: wholeNumber,
      }),
    ),
  }),
  Sessions: object({ sessions: list(object({ id: text, requests: wholeNumber })) }),
  Sections: object({ sections: list(object({ section: text, title: text, text })) }),
  Document: { type: 'object' },
  Events: text,
} as const satisfies Record<string, Json>

export type SchemaName = keyof typeof shapes
