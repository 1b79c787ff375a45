import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject, parseJson } from '../../util/json.ts'
import { issuesOf, type Schema } from '../../util/schema.ts'
import { checkAssume } from './parse.ts'
import {
  type Assume,
  type AssumptionId,
  type AssumptionValue,
  assumptionRegistry,
  findAssumption,
  valueSchema,
} from './registry.ts'
import type { AssumptionLayer, LearningPlace } from './resolve.ts'

/** An assumptions file, such as `{"assumptions": {"create.status": 200}}`. An `Entry` adds the source of its value. */
export type AssumptionFile = {
  readonly $schema?: string
  readonly assumptions: Readonly<Partial<Record<AssumptionId, AssumptionValue | Entry>>>
  readonly broken?: readonly string[]
}

/** One assumption in an assumptions file. An entry without `value` and `nearest` does not change the mock. */
export type Entry = {
  /** If `value` is `none`: no limit was found up to this number of plants, requests or bytes. */
  readonly upTo?: number
  /** Names the tested inputs or callers, if only some were tested. */
  readonly evidence?: string
  /** For an entry without `value`: the value of the assumption that is closest to the observed behaviour. */
  readonly nearest?: AssumptionValue
  readonly observed?: LearningPlace
  /** Tells where the value was found in a document or recording: `openapi.yaml: paths./plants.post.responses`. */
  readonly place?: string
} & (
  | { readonly value: AssumptionValue; readonly other?: never; readonly unseen?: never }
  /** Describes the observed behaviour, if no value of the assumption matches. */
  | { readonly other: string; readonly value?: never; readonly unseen?: never }
  /** The reason why the value is unknown, as a sentence. */
  | { readonly unseen: string; readonly value?: never; readonly other?: never }
)

export type Observed = Exclude<Entry, { readonly unseen: string }>

export type Entries = ReadonlyMap<AssumptionId, Entry>

export type Learned = {
  readonly entries: Entries
  readonly broken: readonly string[]
  readonly source?: AssumptionFile
}

type Refuse = (reason: string) => PlantMockError

export const settingsOf = (entries: Entries): Assume =>
  Object.fromEntries(
    [...entries].flatMap(([id, entry]) => {
      const value = entry.value ?? entry.nearest
      return value === undefined ? [] : [[id, value]]
    }),
  )

export const layerOf = (entries: Entries, file: string): AssumptionLayer => ({
  values: settingsOf(entries),
  provenance: (id) => {
    const { observed, place }: Partial<Entry> = entries.get(id) ?? {}
    return { by: 'file', file, ...(observed && { observed }), ...(place !== undefined && { place }) }
  },
})

export const parseEntries = (text: string, file: string): Entries => {
  const parsed = parseJson(text)
  if ('error' in parsed) throw new PlantMockError(`${file} is not JSON: ${parsed.error}.`)
  return readLearned(parsed.value, file).entries
}

export const readLearned = (value: unknown, file: string): Learned => {
  const refuse: Refuse = (reason) => new PlantMockError(`${file} ${reason}`)
  if (!isJsonObject(value) || !isJsonObject(value.assumptions))
    throw refuse('has no object "assumptions". Write {"assumptions": {"create.status": 200}}.')
  checkShape(contentSchema, value, [], refuse)
  const { assumptions, broken = [] } = value as AssumptionFile
  const entries = new Map(
    Object.entries(assumptions).map(([id, raw]) => [id as AssumptionId, entryOf(id, raw, refuse)]),
  )
  return { entries, broken, source: value as AssumptionFile }
}

const entryOf = (id: string, raw: unknown, refuse: Refuse): Entry => {
  if (!isJsonObject(raw) || findAssumption(id) === undefined) return { value: checkedValue(id, raw, refuse) }
  const path = ['assumptions', id]
  checkShape(entrySchema({}), raw, path, refuse)
  const fail = (reason: string) => refuse(`at #/${path.join('/')} ${reason}`)
  const { value, other, unseen, nearest, upTo, observed } = raw
  if ([value, other, unseen].filter((content) => content !== undefined).length !== 1)
    throw fail('needs exactly one of "value", "other" and "unseen".')
  if (upTo !== undefined && value !== 'none') throw fail('has "upTo", which needs the value "none".')
  if (nearest !== undefined && value !== undefined) throw fail('has "nearest", which needs "other" or "unseen".')
  const { date = '' } = (observed ?? {}) as Partial<LearningPlace>
  if (observed !== undefined && Number.isNaN(Date.parse(date)))
    throw fail(`has the invalid date "${date}". Write it as 2026-11-20.`)
  return {
    ...raw,
    ...(value !== undefined && { value: checkedValue(id, value, refuse) }),
    ...(nearest !== undefined && { nearest: checkedValue(id, nearest, refuse) }),
  } as Entry
}

const checkedValue = (id: string, value: unknown, refuse: Refuse): AssumptionValue => {
  try {
    return Object.values(checkAssume({ [id]: value ?? 'null' }))[0] as AssumptionValue
  } catch (error) {
    throw error instanceof PlantMockError ? refuse(`is invalid. ${error.message}`) : error
  }
}

const checkShape = (schema: Schema, value: unknown, path: readonly string[], refuse: Refuse): void => {
  const [issue] = issuesOf(schema, value, path)
  if (issue === undefined) return
  const name = issue.path.at(-1)
  const place = `at #/${issue.path.join('/')}`
  if (issue.keyword === 'required') throw refuse(`${place} is missing.`)
  if (issue.keyword !== 'additionalProperties')
    throw refuse(`${place} has the invalid value ${JSON.stringify(issue.value)}.`)
  throw refuse(
    `has the unknown key "${name}" ${place}. Allowed are ${Object.keys(issue.schema.properties ?? {}).join(', ')}.`,
  )
}

const text: Schema = { type: 'string' }
const brokenSchema: Schema = { type: 'array', items: text }

const contentSchema: Schema = {
  type: 'object',
  properties: { $schema: {}, assumptions: {}, broken: brokenSchema },
  additionalProperties: false,
}

const entrySchema = (value: object): Schema & { readonly oneOf: readonly Schema[] } => ({
  type: 'object',
  properties: {
    value,
    other: text,
    nearest: value,
    unseen: text,
    upTo: { type: 'integer', minimum: 1 },
    evidence: text,
    place: text,
    observed: { type: 'object', properties: { host: text, date: text }, required: ['host', 'date'] },
  },
  oneOf: [{ required: ['value'] }, { required: ['other'] }, { required: ['unseen'] }],
  additionalProperties: false,
})

/** Returns the JSON Schema of an assumptions file, published as `plant-mock/fixtures/assumptions.schema.json`. */
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
            anyOf: [{ $ref: `#/$defs/${row.id}` }, entrySchema({ $ref: `#/$defs/${row.id}` })],
          },
        ]),
      ),
      additionalProperties: false,
    },
    broken: {
      description: 'The rules of the contract that the service broke. The mock ignores this list.',
      ...brokenSchema,
    },
  },
  required: ['assumptions'],
  additionalProperties: false,
  $defs: Object.fromEntries(assumptionRegistry.map((row) => [row.id, valueSchema(row.id)])),
})
