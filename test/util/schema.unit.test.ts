import { describe, expect, it } from 'vitest'
import { issuesOf, type Schema } from '../../src/util/schema.ts'

const found = (schema: Schema, value: unknown): readonly string[] =>
  issuesOf(schema, value).map(({ keyword, path }) => `${keyword} at /${path.join('/')}`)

describe('a value', () => {
  const array = [1]
  const object = {}
  it.each<[NonNullable<Schema['type']>, readonly unknown[], readonly unknown[]]>([
    ['string', ['', 'a'], [1, null, undefined, object]],
    ['number', [0, 1.5, Infinity], [Number.NaN, '1', null]],
    ['integer', [0, -1, 2], [1.5, Number.NaN, '1', null]],
    ['array', [[], array], [object, 'a', null]],
    ['object', [object, array], [null, 1, 'a', undefined]],
  ])('of the type %s', (type, valid, invalid) => {
    expect(valid.map((value) => found({ type }, value))).toEqual(valid.map(() => []))
    expect(invalid.map((value) => found({ type }, value))).toEqual(invalid.map(() => ['type at /']))
  })

  it.each<[string, Schema, readonly unknown[], readonly unknown[]]>([
    ['enum', { enum: [1, 'a'] }, [1, 'a'], [2, '1', undefined]],
    ['const', { const: true }, [true], [false, undefined]],
    ['const', { const: undefined }, [undefined], [null]],
    ['anyOf', { anyOf: [{ type: 'string' }, { minimum: 3 }] }, ['a', 3], [2]],
    ['minimum', { minimum: 3 }, [3, 4, 'a'], [2]],
    ['maximum', { maximum: 3 }, [3, 2], [4]],
    ['minLength', { minLength: 2 }, ['ab', 1], ['a', '']],
    ['pattern', { pattern: '^a' }, ['ab'], ['ba', '']],
    ['minItems', { minItems: 2 }, [[1, 2], 'a'], [[1], []]],
  ])('is checked for %s', (keyword, schema, valid, invalid) => {
    expect(valid.map((value) => found(schema, value))).toEqual(valid.map(() => []))
    expect(invalid.map((value) => found(schema, value))).toEqual(invalid.map(() => [`${keyword} at /`]))
  })

  it('has one issue, with value and schema, and is not checked further', () => {
    const schema: Schema = { type: 'array', minItems: 3, items: { type: 'string' } }
    expect(issuesOf(schema, [1], ['a'])).toEqual([{ path: ['a'], value: [1], keyword: 'minItems', schema }])
  })
})

describe('the items of an array', () => {
  it('have the schema of their place, or else that of all', () => {
    const schema: Schema = { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } }
    expect(found(schema, ['a', 1, 2])).toEqual([])
    expect(found(schema, [1, 1, 'a'])).toEqual(['type at /0', 'type at /2'])
    expect(found({ type: 'array', prefixItems: [{ type: 'string' }] }, ['a', 1])).toEqual([])
    expect(found({ type: 'array' }, ['a', 1])).toEqual([])
  })

  it('include those that are missing', () => {
    expect(found({ type: 'array', items: { type: 'number' } }, new Array(2))).toEqual(['type at /0', 'type at /1'])
  })

  it('are not checked in a value that may be of any type', () => {
    expect(found({ items: { type: 'number' }, properties: { 0: { type: 'number' } } }, ['a'])).toEqual([])
  })
})

describe('the properties of an object', () => {
  const inner: Schema = { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] }

  it('have their schemas, at every depth', () => {
    const schema: Schema = { type: 'object', properties: { a: inner } }
    expect(found(schema, { a: { b: 1 } })).toEqual([])
    expect(found(schema, {})).toEqual([])
    expect(found(schema, { a: { b: 'x' } })).toEqual(['type at /a/b'])
    expect(issuesOf(schema, { a: {} })).toEqual([
      { path: ['a', 'b'], value: undefined, keyword: 'required', schema: inner },
    ])
  })

  it('may be undefined or inherited; a required one may not be undefined', () => {
    const optional: Schema = { type: 'object', properties: { b: { type: 'number' } } }
    expect(found(optional, { b: undefined })).toEqual([])
    expect(found(inner, { b: undefined })).toEqual(['type at /b'])
    expect(found(inner, Object.create({ b: 1 }))).toEqual([])
    expect(found({ ...inner, additionalProperties: false }, Object.create({ c: 1, b: 1 }))).toEqual([
      'additionalProperties at /c',
    ])
  })

  it('that are unknown are allowed, refused at the first, or checked by name and value', () => {
    const value = { b: 1, c: 'x', dd: 'y' }
    expect(found(inner, value)).toEqual([])
    const refused: Schema = { ...inner, additionalProperties: false }
    expect(found(refused, { ...value, b: 'x' })).toEqual(['type at /b', 'additionalProperties at /c'])
    expect(issuesOf(refused, value)).toEqual([
      { path: ['c'], value: 'x', keyword: 'additionalProperties', schema: refused },
    ])
    const checked: Schema = { ...inner, propertyNames: { minLength: 2 }, additionalProperties: { type: 'number' } }
    expect(found(checked, value)).toEqual(['minLength at /c', 'type at /c', 'type at /dd'])
  })
})
