import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactJson, parseExactJson } from '../../src/util/exact-json.ts'
import { parseJson } from '../../src/util/json.ts'

const large = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((id) => !Number.isSafeInteger(Number(id)))
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('9007199254740993', '"9007199254740993', '\\', 'integer 0 ', 'integer 0 5', '\u0000'),
)
const scalar = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constant(null),
)
const plant = fc.record({ id: fc.oneof(large, fc.maxSafeInteger(), text), name: text, __proto__: scalar })
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, plant, fc.array(tie('value')), fc.dictionary(text, tie('value'))),
}))

describe('JSON with ids of 64 bits', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(value, (value) => {
        const written = exactJson(value)
        const parsed = parseExactJson(written)
        expect('value' in parsed && exactJson(parsed.value)).toBe(written)
      }),
    )
  })

  it.each([
    ['{"id":9007199254740993}', { id: 9007199254740993n }],
    ['{"id":-9223372036854775808}', { id: -9223372036854775808n }],
    ['{"id":1234567890123456}', { id: 1234567890123456 }],
    ['{"other":9007199254740993}', { other: 9007199254740992 }],
    ['{"id":[9007199254740993]}', { id: [9007199254740992] }],
    ['{"id":0.12345678901234567890}', { id: 0.12345678901234568 }],
    ['{"id":1e0000000000000000001}', { id: 10 }],
    ['{"id":"9007199254740993","name":"\\\\"}', { id: '9007199254740993', name: '\\' }],
    ['{"id":"\\u0069nteger 0 5","x":1234567890123456}', { id: 'integer 0 5', x: 1234567890123456 }],
    [`{"id":${'9'.repeat(400)}}`, { id: Number.POSITIVE_INFINITY }],
  ])('%s is read exactly', (json, value) => {
    expect(parseExactJson(json)).toEqual({ value })
  })

  it('has the errors of other JSON, and any depth', () => {
    const wrong = '{"id":9007199254740993,'
    expect(parseExactJson(wrong)).toEqual(parseJson(wrong))
    const deep = `${'['.repeat(1e5)}9007199254740993${']'.repeat(1e5)}`
    expect('value' in parseExactJson(deep)).toBe(true)
  })

  it('finds an integer of 16 digits at any place of a text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '1', ' ') }), fc.string(), (name, tag) => {
        const text = `{${JSON.stringify({ name }).slice(1, -1)},"id":9007199254740993,${JSON.stringify({ tag }).slice(1)}`
        expect(parseExactJson(text)).toEqual({ value: { name, id: 9007199254740993n, tag } })
      }),
    )
  })
})
