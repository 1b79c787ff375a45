import { describe, expect, it } from 'vitest'
import { inOrderOf, isJsonObject, isNestedTooDeep, jsonOrUndefined, parseJson } from '../../src/util/json.ts'
import { textChunks } from '../../src/util/text.ts'

describe('JSON', () => {
  it('is parsed, or the reason is given with its line', () => {
    expect(parseJson('{"a":1}')).toEqual({ value: { a: 1 } })
    expect(parseJson('{"a":1}\n}')).toEqual({ error: expect.stringMatching(/\(line 2\b/) })
    expect(parseJson('{')).toEqual({ error: expect.not.stringMatching(/\(line 2|\.$/) })
    expect([jsonOrUndefined('[1]'), jsonOrUndefined('[')]).toEqual([[1], undefined])
  })

  it('of one line has an error without a line', () => {
    const [error] = [parseJson('}')].map((parsed) => ('error' in parsed ? parsed.error : ''))
    expect(error).not.toMatch(/\(line 1\)$/)
  })

  it('that is invalid has an error with all of the text or none, because a part of a token cannot be redacted', () => {
    const errorOf = (text: string) => Object.values(parseJson(text)).join()
    expect(errorOf('{"id":Sec12345678901234}')).toBe("Unexpected token 'S' in JSON")
    expect(errorOf(`{"name":"fern"}${' '.repeat(40)}secret-12345678`)).not.toMatch(/secret/)
    expect(errorOf(`{\n"access": [secret-1234567890123],\n"name": "a long name"}`)).toMatch(
      /^[^"]* in JSON \(line 2\)$/,
    )
    expect(errorOf('{"id":x}')).toContain('{"id":x}')
  })

  it('of several lines has an error with the line of its place, if it has one', () => {
    const errorOf = (text: string) => Object.values(parseJson(text)).join()
    expect(errorOf('{"a":1,\n"b":2,\n}\n')).toMatch(/\(line 3\b/)
    expect(errorOf('[\n')).toBe('Unexpected end of JSON input')
  })

  it('is written in the order of an earlier value, with new members at the end', () => {
    const earlier = { b: { d: 0, c: 0 }, gone: 1, a: [2] }
    const ordered = inOrderOf(earlier, { new: 1, a: [{ y: 1, x: 1 }], b: { c: 1, d: 1 } })
    expect(JSON.stringify(ordered)).toBe('{"b":{"d":1,"c":1},"a":[{"y":1,"x":1}],"new":1}')
    expect(
      Object.keys(inOrderOf(JSON.parse('{"__proto__":1}'), JSON.parse('{"a":1,"__proto__":2}')) as object),
    ).toEqual(['__proto__', 'a'])
  })

  it.each([
    [{}, true],
    [[], false],
    [null, false],
    ['text', false],
  ])('is an object, neither null nor an array: %j', (value, expected) => {
    expect(isJsonObject(value)).toBe(expected)
  })

  /** Text of more than 1,000 characters, which is the least for which depth is counted. */
  const nested = (depth: number, inner = '') => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}${' '.repeat(1_001)}`

  it.each([
    ['500 levels', nested(500), false],
    ['501 levels', nested(501), true],
    ['501 objects', '{"a":'.repeat(501), true],
    ['many short lists', `[${'[],{},'.repeat(600)}0]`, false],
    ['brackets in a text', nested(1, `"${'['.repeat(600)}"`), false],
    ['brackets after an escaped quotation mark', nested(1, `"\\"${'['.repeat(600)}"`), false],
    ['brackets after a text that ends with a backslash', `["\\\\",${'['.repeat(500)}${' '.repeat(1_001)}`, true],
    ['an open text', `["${'['.repeat(1_001)}`, false],
    ['exactly 1,000 characters', '['.repeat(1_000), false],
    ['1,001 characters', '['.repeat(1_001), true],
  ])('is nested too deep beyond 500 levels: %s', (_, text, expected) => {
    expect(isNestedTooDeep(text)).toBe(expected)
  })
})

describe('chunks of text', () => {
  const lengths = (...texts: number[]) =>
    Array.from(textChunks(texts.map((length) => 'x'.repeat(length))), (chunk) => chunk.length)
  const least = 256 * 1024

  it('have at least 256 Ki characters, but for the last', () => {
    expect(lengths(least - 1, 1, least, 5, 6)).toEqual([least, least, 11])
    expect(lengths(least)).toEqual([least])
    expect(lengths()).toEqual([])
  })
})
