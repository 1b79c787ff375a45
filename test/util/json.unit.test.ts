import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inOrderOf, isJsonObject, isNestedTooDeep, jsonError, jsonOrUndefined, parseJson } from '../../src/util/json.ts'
import { textChunks } from '../../src/util/text.ts'
import { runs } from '../support/runs.ts'

describe('JSON', () => {
  it('is parsed, or undefined', () => {
    expect(parseJson('{"a":1}')).toEqual({ value: { a: 1 } })
    expect([jsonOrUndefined('[1]'), jsonOrUndefined('[')]).toEqual([[1], undefined])
  })

  it.each([
    ['}', 'unexpected "}" at column 1'],
    ['{"id":Sec12345678901234}', 'unexpected "S" at column 7'],
    ['{"a":1}\n}', 'unexpected "}" at line 2, column 1'],
    ['{"a":1,\n"b":2,\n}\n', 'unexpected "}" at line 3, column 1'],
    ['{\n  "a" 1}', 'unexpected "1" at line 2, column 7'],
    ['[\n', 'unexpected end at line 2, column 1'],
    ['["\t"]', 'unexpected "\\t" at column 3'],
    ['["\\u12g4"]', 'unexpected "g" at column 7'],
    ['[1.]', 'unexpected "." at column 3'],
    ['[🌿]', 'unexpected "🌿" at column 2'],
    ['', 'unexpected end at column 1'],
  ])('of %j has the same error in each version of Node.js, without a part of a token', (text, error) => {
    expect(parseJson(text)).toEqual({ error })
  })

  it('has an error where any repair must begin, for any damage', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ...'{}[]",:\\0-.eEtu \n\u0001'), fc.nat(3))
      .map(([json, at, added, removed]) => {
        const position = at % (json.length + 1)
        return json.slice(0, position) + added + json.slice(position + removed)
      })
    fc.assert(
      fc.property(damaged, (text) => {
        const isValid = jsonOrUndefined(text) !== undefined
        expect(jsonError(text) === undefined).toBe(isValid)
        if (isValid) return
        const [, line = '1', column = '1'] = /(?:line (\d+), )?column (\d+)$/.exec(jsonError(text) ?? '') ?? []
        const before = text.split('\n').slice(0, Number(line) - 1)
        const position = before.join('\n').length + (before.length > 0 ? 1 : 0) + Number(column) - 1
        // Text before the error's position can be completed to valid JSON; text that includes the position cannot.
        expect(jsonError(text.slice(0, position)) ?? 'unexpected end').toMatch(/^unexpected end/)
        if (position < text.length) expect(jsonError(text.slice(0, position + 1))).toBeDefined()
      }),
      { numRuns: runs(2_000) },
    )
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

  /** Depth is checked only in text of more than 1,000 characters. */
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
