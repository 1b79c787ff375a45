import { assumptionRegistry, valueSchema } from '../../core/assumptions/registry.ts'
import type { Json } from '../../core/contract/json-schema.ts'
import { schemas } from '../../core/contract/schemas.ts'
import type { Violation } from '../../core/contract/violation.ts'
import { faultSchema } from '../../core/faults/fault.ts'
import { filterFields } from '../../core/journal/filter.ts'

/** @param given A property whose name ends with `?` is optional. */
const object = (given: Json): Json => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(given).map(([name, schema]) => [name.replace('?', ''), schema])),
  required: Object.keys(given).filter((name) => !name.endsWith('?')),
  additionalProperties: false,
})
const list = (items: Json): Json => ({ type: 'array', items })
const recordOf = (values: Json): Json => ({ type: 'object', additionalProperties: values })
export const text: Json = { type: 'string' }
export const wholeNumber: Json = { type: 'integer', minimum: 0 }
const value: Json = { type: ['string', 'integer'] }
const operation = filterFields.operation.schema
const violationIn: Record<Violation['in'], true> = { request: true, response: true }
const violation = { section: text, detail: text, in: { enum: Object.keys(violationIn) } }
const assumptionValues: Json = Object.fromEntries(assumptionRegistry.map((row) => [row.id, valueSchema(row.id)]))

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const message = object({ headers: recordOf(text), 'body?': text, 'bodyOmitted?': { const: true }, 'json?': {} })
const entry = object({
  id: wholeNumber,
  time: { type: 'string', format: 'date-time' },
  milliseconds: { type: 'number' },
  'operation?': operation,
  'caller?': { type: 'string', description: 'A pseudonym, never a token.' },
  method: text,
  url: text,
  status: wholeNumber,
  source: filterFields.source.schema,
  assumptions: list(text),
  'decided?': { type: 'string', description: 'The assumption that says most about the response, with its value.' },
  'problem?': filterFields.problem.schema,
  'fault?': filterFields.fault.schema,
  'delay?': { type: 'number', description: 'Milliseconds.' },
  violations: list(object(violation)),
  'violationsOmitted?': wholeNumber,
  request: message,
  response: message,
})
const assumption = object({
  id: text,
  section: text,
  question: text,
  default: value,
  alternatives: list(value),
  further: list(value),
  samples: list(value),
  'form?': { type: 'string', description: 'How values with a parameter are written.' },
  'rare?': { const: true },
  value,
  meaning: text,
  'provenance?': text,
})
const state = object({
  name: text,
  version: text,
  'session?': text,
  plants: wholeNumber,
  requests: wholeNumber,
  violations: wholeNumber,
  faults: wholeNumber,
  sessions: wholeNumber,
  assumed: recordOf(value),
})
const filters = Object.entries(filterFields).map(([name, { description, schema }]) => [
  `${name}?`,
  { description, ...schema },
])

const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] })
const { id, tag, access } = schemas.fixturePlant.properties ?? {}
/** Null for a field that the plant lacks. */
const plantFields = object({
  'id?': orNull(id ?? {}),
  'name?': text,
  'tag?': orNull(tag ?? {}),
  'access?': orNull(access ?? {}),
})
const selection = {
  'filter?': { ...ref('PlantFields'), description: 'Values of fields. Send either filter or plants.' },
  'plants?': { ...list(schemas.fixturePlant), description: 'Plants as GET /plants returns them.' },
}

/** The JSON Schemas of every request and response of the control interface. */
export const shapes = {
  Index: object({ name: text, version: text, routes: list(object({ method: text, path: text, summary: text })) }),
  Health: object({ ready: { const: true } }),
  State: state,
  Plants: object({ plants: list(schemas.fixturePlant) }),
  PlantFields: plantFields,
  PlantsSelection: object(selection),
  PlantsPatch: object({ ...selection, patch: ref('PlantFields') }),
  PlantsSearch: object({
    'caller?': { type: 'string', description: 'The token of a caller.' },
    'filter?': ref('PlantFields'),
  }),
  Changed: object({ changed: { ...wholeNumber, description: 'How many plants matched.' } }),
  Snapshots: object({ snapshots: list(text) }),
  Snapshot: object({ name: text }),
  Filter: object(Object.fromEntries(filters)),
  Entry: entry,
  Entries: object({ requests: list(ref('Entry')) }),
  SentRequest: object({
    method: text,
    url: { ...text, description: 'Path and query.' },
    'headers?': recordOf(text),
    'body?': text,
    'caller?': { ...text, description: 'A pseudonym or a token.' },
  }),
  RequestId: object({ id: wholeNumber }),
  Count: object({ count: wholeNumber }),
  Violations: object({
    violations: list(
      object({
        ...violation,
        request: wholeNumber,
        'operation?': operation,
        exchange: text,
        'omitted?': wholeNumber,
      }),
    ),
  }),
  Fault: faultSchema,
  FaultId: object({ id: text }),
  Faults: object({
    faults: list(object({ id: text, name: text, hits: wholeNumber, 'remaining?': wholeNumber })),
  }),
  Assume: { type: 'object', properties: assumptionValues, additionalProperties: false },
  Assumptions: object({ values: object(assumptionValues), registry: list(assumption) }),
  Preview: object({ differing: wholeNumber, total: wholeNumber }),
  Fixtures: object({ fixtures: list(text) }),
  Sessions: object({ sessions: list(object({ id: text, requests: wholeNumber })) }),
  Sections: object({ sections: list(object({ section: text, title: text, text })) }),
  Document: { type: 'object' },
  Events: text,
} as const satisfies Record<string, Json>

export type SchemaName = keyof typeof shapes
