import { PlantMockError } from '../util/errors.ts'
import { checkAssume } from './parse.ts'
import { type AssumptionId, type AssumptionValue, assumptionRegistry, valuesOf } from './registry.ts'
import type { AssumptionSource, Observation } from './resolve.ts'

/**
 * A file of assumptions: `{"assumptions": {"create.status": 200}}`, where a value may also be
 * `{"value": 200, "observed": {"host": "staging.example", "date": "2026-11-20"}}`.
 */
export type AssumptionFile = {
  readonly $schema?: string
  readonly assumptions: Readonly<Partial<Record<AssumptionId, AssumptionValue | Entry>>>
}

type Entry = { readonly value: AssumptionValue; readonly observed?: Observation }

/**
 * Reads a file of assumptions.
 * @param file The name of the file, for messages and as the origin.
 * @throws PlantMockError that names the file, the place and the reason.
 */
export const parseAssumptionFile = (text: string, file: string): AssumptionSource => {
  const refuse = (reason: string) => new PlantMockError(`${file} ${reason}`)
  const content = parse(text, refuse)
  if (!isObject(content) || !isObject(content.assumptions))
    throw refuse(
      'has no object "assumptions". An assumptions file is {"assumptions": {"create.status": 200}}.',
    )
  const unknown = Object.keys(content).find((key) => key !== 'assumptions' && key !== '$schema')
  if (unknown !== undefined)
    throw refuse(`has the key "${unknown}"; it may have "assumptions" and "$schema".`)

  const values: Record<string, AssumptionValue> = {}
  const observations = new Map<string, Observation>()
  for (const [id, raw] of Object.entries(content.assumptions)) {
    const place = (reason: string) => refuse(`at #/assumptions/${id} ${reason}`)
    const entry = isObject(raw) ? checkEntry(raw, place) : { value: raw }
    Object.assign(values, checkOne(id, entry.value, refuse))
    if (entry.observed !== undefined) observations.set(id, entry.observed)
  }
  return {
    values,
    origin: (id) => {
      const observed = observations.get(id)
      return { by: 'file', file, ...(observed && { observed }) }
    },
  }
}

const parse = (text: string, refuse: (reason: string) => PlantMockError): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw refuse(`is not JSON: ${(error as Error).message}.`)
  }
}

const checkOne = (id: string, value: unknown, refuse: (reason: string) => PlantMockError) => {
  try {
    return checkAssume({ [id]: value ?? 'null' })
  } catch (error) {
    throw error instanceof PlantMockError ? refuse(`cannot be used. ${error.message}`) : error
  }
}

const checkEntry = (
  raw: Readonly<Record<string, unknown>>,
  place: (reason: string) => PlantMockError,
): { readonly value: unknown; readonly observed?: Observation } => {
  const { value, observed, ...rest } = raw
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw place(`has the key "${unknown}"; it may have "value" and "observed".`)
  if (value === undefined) throw place('has no "value".')
  if (observed === undefined) return { value }
  if (!isObject(observed) || typeof observed.host !== 'string' || typeof observed.date !== 'string')
    throw place('needs "host" and "date" in "observed".')
  if (Number.isNaN(Date.parse(observed.date)))
    throw place(`has the date "${observed.date}"; write it as 2026-11-20.`)
  return { value, observed: { host: observed.host, date: observed.date } }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The JSON Schema of such a file, published as `plant-mock/fixtures/assumptions.schema.json`. */
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
