import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject, parseJson } from '../../util/json.ts'
import { issuesOf, type Schema } from '../../util/schema.ts'
import { checkAssume } from './parse.ts'
import { type AssumptionId, type AssumptionValue, assumptionRegistry, findAssumption, valueSchema } from './registry.ts'
import type { AssumptionLayer, LearningPlace } from './resolve.ts'

/**
 * An assumptions file: `{"assumptions": {"create.status": 200}}`. Instead of a value, an entry may be an object that
 * tells where the value was observed, or what was observed instead of a value.
 */
export type AssumptionFile = {
  readonly $schema?: string
  readonly assumptions: Readonly<Partial<Record<AssumptionId, AssumptionValue | Entry>>>
  /** The ids of the rules of the contract that a service broke. */
  readonly broken?: readonly string[]
}

/** The entry of one assumption. `other` and `unseen` set no value. */
export type Entry =
  | {
      readonly value: AssumptionValue
      /** The value `none` was observed with this number of plants: the service may have a larger limit. */
      readonly upTo?: number
      /** The only inputs or callers that were tried. */
      readonly evidence?: string
      readonly observed?: LearningPlace
    }
  /** Behaviour that is none of the values, in words. */
  | { readonly other: string; readonly evidence?: string; readonly observed?: LearningPlace }
  /** Why nothing was observed. */
  | { readonly unseen: string }

export type Entries = ReadonlyMap<AssumptionId, Entry>

export type Learned = {
  readonly entries: Entries
  readonly broken: readonly string[]
  /** The file as it is; `undefined` for a new one. */
  readonly source: AssumptionFile | undefined
}

type Refuse = (reason: string) => PlantMockError

export const parseAssumptionFile = (text: string, file: string): AssumptionLayer => {
  const entries = parseEntries(text, file)
  const values = Object.fromEntries(
    [...entries].flatMap(([id, entry]) => ('value' in entry ? [[id, entry.value]] : [])),
  )
  return {
    values,
    provenance: (id) => {
      const entry = entries.get(id)
      const observed = entry !== undefined && 'value' in entry ? entry.observed : undefined
      return { by: 'file', file, ...(observed && { observed }) }
    },
  }
}

/** The entries of an assumptions file. @throws PlantMockError that names the file, the place and the reason. */
export const parseEntries = (text: string, file: string): Entries => parseLearned(text, file).entries

export const parseLearned = (text: string, file: string): Learned => {
  const refuse: Refuse = (reason) => new PlantMockError(`${file} ${reason}`)
  const parsed = parseJson(text)
  if ('error' in parsed) throw refuse(`is not JSON: ${parsed.error}.`)
  const { value } = parsed
  if (!isJsonObject(value) || !isJsonObject(value.assumptions))
    throw refuse('has no object "assumptions". Write {"assumptions": {"create.status": 200}}.')
  checkShape(contentSchema, value, [], refuse)
  const { assumptions, broken = [] } = value as AssumptionFile
  const entries = Object.entries(assumptions).map(
    ([id, raw]) => [id as AssumptionId, entryOf(id, raw, refuse)] as const,
  )
  return { entries: new Map(entries), broken, source: value as AssumptionFile }
}

const entryOf = (id: string, raw: unknown, refuse: Refuse): Entry => {
  if (!isJsonObject(raw) || findAssumption(id) === undefined) return { value: checkedValue(id, raw, refuse) }
  const path = ['assumptions', id]
  checkShape(entrySchema({}), raw, path, refuse)
  const fail = (reason: string) => refuse(`at #/${path.join('/')} ${reason}`)
  const { value, other, unseen, upTo, observed } = raw
  if ([value, other, unseen].filter((content) => content !== undefined).length !== 1)
    throw fail('needs exactly one of "value", "other" and "unseen".')
  if (upTo !== undefined && value !== 'none') throw fail('has "upTo", which needs the value "none".')
  const { date = '' } = (observed ?? {}) as Partial<LearningPlace>
  if (observed !== undefined && Number.isNaN(Date.parse(date)))
    throw fail(`has the invalid date "${date}". Write it as 2026-11-20.`)
  return value === undefined ? (raw as Entry) : { ...raw, value: checkedValue(id, value, refuse) }
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

/** The entries are checked one by one. `alike`, which earlier versions wrote, is ignored. */
const contentSchema: Schema = {
  type: 'object',
  properties: { $schema: {}, assumptions: {}, broken: brokenSchema, alike: {} },
  additionalProperties: false,
}

/** `issuesOf` does not check `oneOf`. */
const entrySchema = (value: object): Schema & { readonly oneOf: readonly Schema[] } => ({
  type: 'object',
  properties: {
    value,
    other: text,
    unseen: text,
    upTo: { type: 'integer', minimum: 1 },
    evidence: text,
    observed: { type: 'object', properties: { host: text, date: text }, required: ['host', 'date'] },
  },
  oneOf: [{ required: ['value'] }, { required: ['other'] }, { required: ['unseen'] }],
  additionalProperties: false,
})

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
            anyOf: [{ $ref: `#/$defs/${row.id}` }, entrySchema({ $ref: `#/$defs/${row.id}` })],
          },
        ]),
      ),
      additionalProperties: false,
    },
    broken: {
      description: 'The rules of the contract that the service broke. Nothing in the mock depends on them.',
      ...brokenSchema,
    },
    alike: { description: 'Ignored. Earlier versions wrote it.' },
  },
  required: ['assumptions'],
  additionalProperties: false,
  $defs: Object.fromEntries(assumptionRegistry.map((row) => [row.id, valueSchema(row.id)])),
})
