import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Assumptions,
  defaultAssumptions,
  findAssumption,
  valuesOf,
} from '../../../src/core/assumptions/registry.ts'
import {
  describeField,
  schemas,
  sentPlantViolations,
  shownPlantViolations,
  type Validated,
  validateFixturePlant,
  validatePlant,
} from '../../../src/core/contract/schemas.ts'
import { checkFault, faultSchema } from '../../../src/core/faults/fault.ts'
import type { Schema } from '../../../src/util/schema.ts'
import { runs } from '../../support/runs.ts'

const token = fc.constantFrom('alice', 'bob==', 'a b', '', 'ü')
const field = fc.oneof(fc.string(), fc.jsonValue())
const nearlyPlant = fc.record(
  {
    name: field,
    id: fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.maxSafeInteger(), fc.constant(2 ** 53), fc.jsonValue()),
    tag: field,
    access: fc.oneof(fc.array(fc.oneof(token, fc.jsonValue())), fc.jsonValue()),
    extra: fc.jsonValue(),
    constructor: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const anything = fc.oneof({ weight: 8, arbitrary: nearlyPlant }, fc.jsonValue())

const oneOf = <Id extends keyof Assumptions>(id: Id) =>
  fc.constantFrom(...(valuesOf(findAssumption(id) as never) as readonly Assumptions[Id][]))
const policy = fc.record({
  'create.required': oneOf('create.required'),
  'create.nullTag': oneOf('create.nullTag'),
  'create.unknownFields': oneOf('create.unknownFields'),
  'create.emptyStrings': oneOf('create.emptyStrings'),
})

const within = (bits: number) => ({ type: 'number' as const, validate: (id: number) => Math.abs(id) < 2 ** (bits - 1) })
const ajv = new Ajv2020({ allErrors: true, formats: { int32: within(32), int64: within(64) } })

type Places = { readonly known: readonly string[]; readonly unknown: readonly string[] }

const placesOfAjv = (schema: Schema, value: unknown): Places => {
  const validate = ajv.compile(schema)
  validate(value)
  const pointers = (isUnknown: boolean): readonly string[] =>
    (validate.errors ?? [])
      .filter(({ keyword }) => (keyword === 'additionalProperties') === isUnknown)
      .map(({ instancePath, params }) => [instancePath, params.missingProperty ?? params.additionalProperty])
      .map(([path, property]) =>
        property === undefined ? path : `${path}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      )
  return { known: [...pointers(false)].sort(), unknown: pointers(true).slice(0, 1) }
}

const placesOf = (validated: Validated<unknown>): Places => {
  const errors = 'errors' in validated ? validated.errors : []
  const pointers = (isUnknown: boolean): readonly string[] =>
    errors
      .filter(({ code }) => (code === 'unknown') === isUnknown)
      .map((error) => decodeURIComponent('pointer' in error ? error.pointer.slice(1) : ''))
  return { known: [...pointers(false)].sort(), unknown: pointers(true) }
}

describe('the validator of creates', () => {
  it('finds the problems that the schema in the OpenAPI document finds', () => {
    fc.assert(
      fc.property(anything, policy, (value, given) => {
        const assumptions = { ...defaultAssumptions, ...given }
        expect(placesOf(validatePlant(value, assumptions))).toEqual(placesOfAjv(schemas.newPlant(assumptions), value))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('has a fast path for plain plants that agrees with the schema', () => {
    const fast = (value: unknown) => validatePlant(value, defaultAssumptions)
    const schema = (value: unknown) => validatePlant(value, { ...defaultAssumptions, 'create.unknownFields': 'reject' })
    fc.assert(
      fc.property(nearlyPlant, ({ extra: _, access: __, constructor: ___, ...value }) => {
        expect(fast(value)).toEqual(schema(value))
      }),
    )
    for (const value of [undefined, null, 'text', []]) expect(fast(value)).toEqual(schema(value))
  })

  it.each([
    [{ name: 'Fern', tag: 'fern' }, ['id is required']],
    [
      { name: 7, id: '1' },
      ['name must be a string, not a number', 'id must be an integer, not a string', 'tag is required'],
    ],
    [
      { name: '', id: 1.5, tag: null },
      ['name must not be empty', 'id must be an integer, not 1.5', 'tag must be a string, not null'],
    ],
    [
      { name: [], id: 2 ** 53, tag: {} },
      [
        'name must be a string, not an array',
        'id must lie between -9007199254740991 and 9007199254740991',
        'tag must be a string, not an object',
      ],
    ],
    [{ name: 'Fern', id: 1, tag: 'fern', size: 3, colour: 'green' }, ['size is not a field of a plant']],
    [
      { name: 'Fern', id: undefined, tag: true },
      ['id must be an integer, not missing', 'tag must be a string, not a boolean'],
    ],
    [{ name: 'Fern', id: Number.NaN, tag: 'fern' }, ['id must be an integer, not a number']],
    [{ name: 'Fern', id: Number.POSITIVE_INFINITY, tag: 'fern' }, ['id must be an integer, not Infinity']],
    [[], ['The body must be an object, not an array']],
    ['text', ['The body must be an object, not a string']],
    [null, ['The body must be an object, not null']],
    [undefined, ['The body is required']],
  ])('says of %j what is wrong', (value, details) => {
    const strict = { 'create.unknownFields': 'reject', 'create.emptyStrings': 'reject' } as const
    const validated = validatePlant(value, { ...defaultAssumptions, ...strict })
    const errors = 'errors' in validated ? validated.errors : []
    expect(errors.map((error) => describeField(error))).toEqual(details)
  })
})

describe('the validator of fixtures', () => {
  it('finds the problems that the published schema finds', () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(placesOf(validateFixturePlant(value))).toEqual(placesOfAjv(schemas.fixturePlant, value))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('names the token of an access list that cannot be sent', () => {
    expect(validateFixturePlant({ name: 'Fern', tag: 'fern', access: ['alice', 'a b', 7] })).toEqual({
      errors: [
        {
          code: 'not-a-token',
          pointer: '#/access/1',
          detail: 'must be a bearer token: letters, digits and -._~+/ only, then any number of =',
        },
        { code: 'type', pointer: '#/access/2', detail: 'must be a string, not a number' },
      ],
    })
  })

  it('refuses tokens that are no text', () => {
    for (const token of [7, null, true])
      expect(validateFixturePlant({ name: 'Fern', tag: 'fern', access: [token] })).toHaveProperty('errors')
  })

  it.each([[null], [[]], ['text'], [7], [undefined]])('refuses %j', (value) => {
    expect(validateFixturePlant(value)).toHaveProperty('errors')
  })
})

describe('the violations of the contract in a plant', () => {
  it('are those of its stated fields, and the first unknown one', () => {
    expect(sentPlantViolations({ name: 1, extra: 2 })).toEqual([
      'name must be a string, not a number.',
      'extra is not a field of a plant.',
    ])
    expect(shownPlantViolations({ name: 'Fern', id: 1 })).toEqual(['tag is required', 'id is not a field of a plant'])
  })
})

describe('an id in a request', () => {
  it.each([
    ['1234567890123456789', []],
    ['-1e30', []],
    ['1.5', ['id must be an integer, not 1.5.']],
    ['"7"', ['id must be an integer, not a string.']],
  ])('%s violates %j, because the contract shows no range', (id, violations) => {
    expect(sentPlantViolations(JSON.parse(`{"id":${id}}`))).toEqual(violations)
  })
})

describe('the check of faults', () => {
  const fault = fc.record(
    {
      operation: fc.oneof(fc.constantFrom('createPlant', 'listPlants'), fc.jsonValue()),
      caller: field,
      times: fc.oneof(fc.integer({ min: -1, max: 3 }), fc.jsonValue()),
      probability: fc.oneof(fc.double({ min: -1, max: 2, noNaN: true }), fc.jsonValue()),
      delay: fc.oneof(fc.integer({ min: -1 }), fc.array(fc.oneof(fc.integer({ min: -1 }), fc.jsonValue()))),
      status: fc.oneof(fc.integer({ min: 100, max: 700 }), fc.jsonValue()),
      reset: fc.oneof(fc.constant(true), fc.jsonValue()),
      headers: fc.oneof(fc.dictionary(fc.constantFrom('x-a', 'x y', ''), field), fc.string()),
      extra: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const refusal = (value: unknown): string | undefined => {
    try {
      checkFault(value)
      return undefined
    } catch (error) {
      return String(error)
    }
  }
  const combinationErrors = /exclude each other|has no effect|the range of|need a status/

  it('refuses what its schema refuses', () => {
    const isValid = ajv.compile(faultSchema)
    fc.assert(
      fc.property(fault, (value) => {
        const message = refusal(value)
        expect(message === undefined || combinationErrors.test(message)).toBe(isValid(value))
      }),
      { numRuns: runs(1000) },
    )
  })
})
