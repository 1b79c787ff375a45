import { describe, expect, it } from 'vitest'
import {
  filterHeaders,
  headerEntries,
  headerValue,
  missingHeaders,
  toHeaderRecord,
} from '../../../src/core/http/headers.ts'
import { isJsonLikeType, isJsonType } from '../../../src/core/http/media-type.ts'
import { responseHeaders } from '../../../src/core/http/source.ts'
import { hasNullBody, mayHaveLength } from '../../../src/core/http/status.ts'

const headers = ['Vary', 'a', 'X-One', '1', 'vary', 'b']

describe('headers', () => {
  it('are found by their name in lower case; fields of one name are joined', () => {
    expect(['vary', 'x-one', 'none'].map((name) => headerValue(headers, name))).toEqual(['a, b', '1', undefined])
  })

  it('are entries, filtered by name', () => {
    expect(headerEntries(headers)).toEqual([
      ['Vary', 'a'],
      ['X-One', '1'],
      ['vary', 'b'],
    ])
    expect(filterHeaders(headers, (name) => name === 'vary')).toEqual(['Vary', 'a', 'vary', 'b'])
  })

  it('are added where they are missing; Vary is repeated', () => {
    expect(missingHeaders(headers, ['x-one', '2', 'Vary', 'c', 'X-Two', '2'])).toEqual(['Vary', 'c', 'X-Two', '2'])
  })

  it('are a record with an array for a repeated name', () => {
    const record = toHeaderRecord([...headers, 'VARY', 'c', 'constructor', 'd'])
    expect({ ...record }).toEqual({ vary: ['a', 'b', 'c'], 'x-one': '1', constructor: 'd' })
  })
})

describe('a Content-Type', () => {
  it.each([
    ['application/json', true, true],
    [' Application/JSON ; charset=utf-8', true, true],
    ['application/jsonp', false, false],
    ['text/application/json', false, false],
    ['application/problem+json', false, true],
    ['application/problem+json; charset=utf-8', false, true],
    ['application/x+jsonp', false, false],
    [undefined, false, false],
  ])('%s is JSON: %s; is JSON by its suffix: %s', (type, isJson, isJsonLike) => {
    expect([isJsonType(type), isJsonLikeType(type)]).toEqual([isJson, isJsonLike])
  })
})

describe('a status', () => {
  it.each([
    [101, true, false],
    [200, false, true],
    [199, false, false],
    [204, true, false],
    [205, true, true],
    [304, true, false],
  ])('%i has no body: %s; has a length: %s', (status, isNull, hasLength) => {
    expect([hasNullBody(status), mayHaveLength(status)]).toEqual([isNull, hasLength])
  })
})

describe('the source of a response', () => {
  const model = { assumptions: [], fault: undefined, delay: 0, forwarded: undefined } as const
  const violation = { section: '4.2', detail: 'a "b" \\ ü', in: 'request' } as const
  it('has violations as strings of a structured field, in ASCII', () => {
    const meta = { ...model, forwarded: { by: 'upstream', violations: [violation, violation] } } as const
    const text = '"request 4.2: a \\"b\\" \\\\ ?"'
    const headers = responseHeaders({ headers: [], meta })
    expect(headerValue(headers, 'plant-mock-violations')).toBe(`${text}, ${text}`)
  })

  it('lists ten violations of 200 characters', () => {
    const long = { section: '1', detail: 'x'.repeat(300), in: 'response' } as const
    const meta = { ...model, forwarded: { by: 'upstream', violations: Array(11).fill(long) } } as const
    const list = headerValue(responseHeaders({ headers: [], meta }), 'plant-mock-violations')?.split(', ')
    expect([list?.length, list?.[9]?.length]).toEqual([10, 202])
  })
})
