import { PlantMockError } from '../util/errors.ts'
import { isJsonObject, parseJson } from '../util/json.ts'
import { checkAssume } from './parse.ts'
import { type Assume, type AssumptionId, type AssumptionValue, assumptionRegistry, valuesOf } from './registry.ts'
import type { AssumptionLayer, Observation } from './resolve.ts'

/**
 * An assumptions file: `{"assumptions": {"create.status": 200}}`. Instead of a value, an entry may be
 * `{"value": 200, "observed": {"host": "staging.example", "date": "2026-11-20"}}`.
 */
export type AssumptionFile = {
  readonly $schema?: string
  readonly assumptions: Readonly<Partial<Record<AssumptionId, AssumptionValue | Entry>>>
}

type Entry = { readonly value: AssumptionValue; readonly observed?: Observation }

type Refuse = (reason: string) => PlantMockError

/**
 * Parses an assumptions file.
 * @param file The name of the file, for messages and provenance.
 * @throws PlantMockError that names the file, the place and the reason.
 */
export const parseAssumptionFile = (text: string, file: string): AssumptionLayer => {
  const refuse: Refuse = (reason) => new PlantMockError(`${file} ${reason}`)
  const entries = entriesIn(text, refuse)
  const values: Assume = {}
  const observations = new Map<string, Observation>()
  for (const [id, raw] of Object.entries(entries)) {
    const { value, observed } = isJsonObject(raw)
      ? parseEntry(raw, (reason) => refuse(`at #/assumptions/${id} ${reason}`))
      : { value: raw }
    Object.assign(values, checkOne(id, value, refuse))
    if (observed !== undefined) observations.set(id, observed)
  }
  return {
    values,
    provenance: (id) => {
      const observed = observations.get(id)
      return { by: 'file', file, ...(observed && { observed }) }
    },
  }
}

const entriesIn = (text: string, refuse: Refuse): Readonly<Record<string, unknown>> => {
  const parsed = parseJson(text)
  if ('error' in parsed) throw refuse(`is not JSON: ${parsed.error}.`)
  const { value } = parsed
  if (!isJsonObject(value) || !isJsonObject(value.assumptions))
    throw refuse('has no object "assumptions". Write {"assumptions": {"create.status": 200}}.')
  const unknown = Object.keys(value).find((key) => key !== 'assumptions' && key !== '$schema')
  if (unknown !== undefined) throw refuse(`has the unknown key "${unknown}". Allowed are "assumptions" and "$schema".`)
  return value.assumptions
}

const checkOne = (id: string, value: unknown, refuse: Refuse): Assume => {
  try {
    return checkAssume({ [id]: value ?? 'null' })
  } catch (error) {
    throw error instanceof PlantMockError ? refuse(`is invalid. ${error.message}`) : error
  }
}

const parseEntry = (
  raw: Readonly<Record<string, unknown>>,
  refuse: Refuse,
): { readonly value: unknown; readonly observed?: Observation } => {
  const { value, observed, ...rest } = raw
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw refuse(`has the unknown key "${unknown}". Allowed are "value" and "observed".`)
  if (value === undefined) throw refuse('has no "value".')
  if (observed === undefined) return { value }
  if (!isJsonObject(observed) || typeof observed.host !== 'string' || typeof observed.date !== 'string')
    throw refuse('needs "host" and "date" in "observed".')
  if (Number.isNaN(Date.parse(observed.date)))
    throw refuse(`has the invalid date "${observed.date}". Write it as 2026-11-20.`)
  return { value, observed: { host: observed.host, date: observed.date } }
}

/** The JSON Schema of an assumptions file, published as `plant-mock/fixtures/assumptions.schema.json`. */
export const assumptionFileSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Assumptions of plant-mock',
  description: 'What the mock assumes where the contract of the plant store service leaves a point open.',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    assumptions: {
      type: 'object',
      properties: Object.fromEntries(
        assumptionRegistry.map((row) => [
          row.id,
          {
            description: `${row.question} (contract.md ${row.section})`,
            anyOf: [{ $ref: `#/$defs/${row.id}` }, entrySchema(`#/$defs/${row.id}`)],
          },
        ]),
      ),
      additionalProperties: false,
    },
  },
  required: ['assumptions'],
  additionalProperties: false,
  $defs: Object.fromEntries(assumptionRegistry.map((row) => [row.id, { enum: valuesOf(row) }])),
})

const entrySchema = (value: string): object => ({
  type: 'object',
  properties: {
    value: { $ref: value },
    observed: {
      type: 'object',
      properties: { host: { type: 'string' }, date: { type: 'string' } },
      required: ['host', 'date'],
    },
  },
  required: ['value'],
  additionalProperties: false,
})
