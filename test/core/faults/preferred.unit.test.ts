import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { preferredIn, withoutHonoured } from '../../../src/core/faults/preferred.ts'

describe('the preferences of a request', () => {
  it.each([
    ['a status', 'code=503', { code: 503 }],
    ['a delay', 'delay=300', { delay: 300 }],
    ['both, in any order', 'delay=300, code=404', { code: 404, delay: 300 }],
    ['quoted values', 'code="503", delay="300"', { code: 503, delay: 300 }],
    ['names in any case', 'CODE=503', { code: 503 }],
    ['white space around the equals sign and the commas', ' code =\t503 ,, delay= 1 ,', { code: 503, delay: 1 }],
    ['parameters, which mean nothing', 'code=503; foo; bar="x, code=404"; ', { code: 503 }],
    ['others between them', 'return=minimal, example="code=404, delay=1", code=503', { code: 503 }],
    ['those of Prism', 'dynamic=true, example=plants, code=503', { code: 503 }],
    ['the first of a name', 'code=503, code=404', { code: 503 }],
    ['no later one after one out of range', 'code=200, code=503, delay=1', { delay: 1 }],
    ['the smallest values', 'code=400, delay=0', { code: 400, delay: 0 }],
    ['the largest values', 'code=599, delay=60000', { code: 599, delay: 60_000 }],
    ['one after a malformed one of the same name', 'code=(404), code=503', { code: 503 }],
    ['no value', 'code, delay=""', undefined],
    ['a status out of range', 'code=399', undefined],
    ['a status out of range', 'code=600', undefined],
    ['a delay out of range', 'delay=60001', undefined],
    ['no whole number', 'code=5e2, delay=1.5', undefined],
    ['a negative number', 'delay=-1', undefined],
    ['a value with a space', 'code=50 3', undefined],
    ['no name', '=503; code=503', undefined],
    ['no name before its parameters', '; code=503', undefined],
    ['a name of every object', 'constructor=503, __proto__=503', undefined],
    ['an empty header', '', undefined],
    ['no header', undefined, undefined],
  ])('are %s: %s', (_, header, expected) => {
    expect(preferredIn(header)).toEqual(expected)
  })

  it('are found in any text in linear time', () => {
    const part = fc.constantFrom('code', '=', '503', '"', '\\', ',', ';', ' ', 'delay', '300', '\t', '(')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const { code = 400, delay = 0 } = preferredIn(parts.join('')) ?? {}
        expect(code >= 400 && code <= 599 && delay >= 0 && delay <= 60_000).toBe(true)
      }),
    )
    for (const repeated of ['"\\', ';', ', ', 'a=', '\t', 'code=503;']) preferredIn(repeated.repeat(100_000))
  })
})

describe('the header that an upstream gets', () => {
  it.each([
    ['code=503', undefined],
    ['delay=300, return=minimal;x="a, b", delay=5', 'return=minimal;x="a, b"'],
    ['wait=5, delay=300, Example="a, b"', 'wait=5, Example="a, b"'],
    ['delay=300, code=999', 'code=999'],
  ])('%s becomes %s', (header, rest) => {
    expect(withoutHonoured(header, preferredIn(header) ?? {})).toBe(rest)
  })
})
