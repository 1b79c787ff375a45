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

/**
 * An assumptions file: `{"assumptions": {"create.status": 200}}`. Instead of a value, an entry may be an object that
 * tells where the value was observed, or what was observed instead of a value.
 */
export type AssumptionFile = {
  readonly $schema?: string
  readonly assumptions: Readonly<Partial<Record<AssumptionId, AssumptionValue | Entry>>>
  /** The ids of the rules of the contract that a service broke. */
  readonly broken?: readonly string[]
  readonly alike?: LearnedAlike
}

/** How alike a mock with the file and its service were: numbers of exchanges, and shares of them in percent. */
export type LearnedAlike = {
  /** Such as `2026-11-24`. */
  readonly date: string
  readonly exchanges: number
  readonly alike: number
  readonly status: number
  readonly mediaType: number
  readonly body: number
  /** Those from which nothing was learned. */
  readonly unseen: { readonly exchanges: number; readonly alike: number }
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

/** The content of a file that a check has learned. */
export type Learned = {
  readonly entries: Entries
  readonly broken: readonly string[]
  readonly alike?: LearnedAlike
}

type Refuse = (reason: string) => PlantMockError

/**
 * Parses an assumptions file.
 * @param file The name of the file, for messages and provenance.
 * @throws PlantMockError that names the file, the place and the reason.
 */
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
export const parseEntries = (text: string, file: string): Entries => {
  const refuse: Refuse = (reason) => new PlantMockError(`${file} ${reason}`)
  return new Map(
    Object.entries(contentOf(text, refuse).assumptions).map(([id, raw]): [AssumptionId, Entry] => {
      if (findAssumption(id) === undefined) checkOne(id, 'null', refuse)
      const entry: RawEntry = isJsonObject(raw)
        ? parseEntry(raw, (reason) => refuse(`at #/assumptions/${id} ${reason}`))
        : { value: raw }
      if (!('value' in entry)) return [id as AssumptionId, entry]
      const [value] = Object.values(checkOne(id, entry.value, refuse))
      return [id as AssumptionId, { ...entry, value: value as AssumptionValue }]
    }),
  )
}

/** The content of an assumptions file. @throws PlantMockError as `parseEntries`. */
export const parseLearned = (text: string, file: string): Learned => {
  const { assumptions: _, ...further } = contentOf(text, (reason) => new PlantMockError(`${file} ${reason}`))
  return { entries: parseEntries(text, file), ...further }
}

type Content = Omit<Learned, 'entries'> & { readonly assumptions: Readonly<Record<string, unknown>> }

const contentOf = (text: string, refuse: Refuse): Content => {
  const parsed = parseJson(text)
  if ('error' in parsed) throw refuse(`is not JSON: ${parsed.error}.`)
  const { value } = parsed
  if (!isJsonObject(value) || !isJsonObject(value.assumptions))
    throw refuse('has no object "assumptions". Write {"assumptions": {"create.status": 200}}.')
  const { $schema: _, assumptions, broken = [], alike, ...rest } = value
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw refuse(`has the unknown key "${unknown}". Allowed are "assumptions", "broken", "alike" and "$schema".`)
  if (!Array.isArray(broken) || !broken.every((id) => typeof id === 'string'))
    throw refuse('needs a list of the ids of rules in "broken", such as ["create.shape"].')
  const [issue] = alike === undefined ? [] : issuesOf(alikeSchema, alike)
  if (issue !== undefined)
    throw refuse(`at #/${['alike', ...issue.path].join('/')} has the invalid value ${JSON.stringify(issue.value)}.`)
  return {
    assumptions: assumptions as Content['assumptions'],
    broken,
    ...(alike !== undefined && { alike: alike as LearnedAlike }),
  }
}

const checkOne = (id: string, value: unknown, refuse: Refuse): Assume => {
  try {
    return checkAssume({ [id]: value ?? 'null' })
  } catch (error) {
    throw error instanceof PlantMockError ? refuse(`is invalid. ${error.message}`) : error
  }
}

type RawEntry =
  | Exclude<Entry, { readonly value: AssumptionValue }>
  | { readonly value: unknown; readonly upTo?: number; readonly evidence?: string; readonly observed?: LearningPlace }

const entryKeys = '"value", "other", "unseen", "upTo", "evidence" and "observed"'

const parseEntry = (raw: Readonly<Record<string, unknown>>, refuse: Refuse): RawEntry => {
  const { value, other, unseen, upTo, evidence, observed, ...rest } = raw
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw refuse(`has the unknown key "${unknown}". Allowed are ${entryKeys}.`)
  const known = [value, other, unseen].filter((content) => content !== undefined)
  if (known.length !== 1)
    throw refuse(known.length === 0 ? 'has no "value".' : 'has more than one of "value", "other" and "unseen".')
  for (const text of [other, unseen, evidence])
    if (text !== undefined && typeof text !== 'string') throw refuse('needs text in "other", "unseen" and "evidence".')
  if (upTo !== undefined && !(Number.isSafeInteger(upTo) && Number(upTo) > 0 && value === 'none'))
    throw refuse('needs the value "none" and a number of plants in "upTo".')
  if (typeof unseen === 'string') return { unseen }
  const where = {
    ...(typeof evidence === 'string' && { evidence }),
    ...(observed !== undefined && { observed: parseObservation(observed, refuse) }),
  }
  return typeof other === 'string'
    ? { other, ...where }
    : { value, ...(upTo !== undefined && { upTo: Number(upTo) }), ...where }
}

const parseObservation = (observed: unknown, refuse: Refuse): LearningPlace => {
  if (!isJsonObject(observed) || typeof observed.host !== 'string' || typeof observed.date !== 'string')
    throw refuse('needs "host" and "date" in "observed".')
  if (Number.isNaN(Date.parse(observed.date)))
    throw refuse(`has the invalid date "${observed.date}". Write it as 2026-11-20.`)
  return { host: observed.host, date: observed.date }
}

const count: Schema = { type: 'integer', minimum: 0 }
const percent: Schema = { type: 'number', minimum: 0, maximum: 100 }
const allOf = (properties: NonNullable<Schema['properties']>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const alikeSchema = allOf({
  date: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
  exchanges: count,
  alike: percent,
  status: percent,
  mediaType: percent,
  body: percent,
  unseen: allOf({ exchanges: count, alike: percent }),
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
            anyOf: [{ $ref: `#/$defs/${row.id}` }, entrySchema(`#/$defs/${row.id}`)],
          },
        ]),
      ),
      additionalProperties: false,
    },
    broken: {
      description: 'The rules of the contract that the service broke. Nothing in the mock depends on them.',
      type: 'array',
      items: { type: 'string' },
    },
    alike: alikeSchema,
  },
  required: ['assumptions'],
  additionalProperties: false,
  $defs: Object.fromEntries(assumptionRegistry.map((row) => [row.id, valueSchema(row.id)])),
})

const text = { type: 'string' } as const
const observed = { type: 'object', properties: { host: text, date: text }, required: ['host', 'date'] }

/** One of `value`, `other` and `unseen`. */
const entrySchema = (value: string): object => ({
  type: 'object',
  properties: {
    value: { $ref: value },
    other: text,
    unseen: text,
    upTo: { type: 'integer', minimum: 1 },
    evidence: text,
    observed,
  },
  oneOf: [{ required: ['value'] }, { required: ['other'] }, { required: ['unseen'] }],
  additionalProperties: false,
})
