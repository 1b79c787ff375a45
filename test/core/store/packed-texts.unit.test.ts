import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PackedTexts } from '../../../src/core/store/columns.ts'
import { runs } from '../../support/runs.ts'

/** More than two pages. */
const count = 20_000
const numbers = Array.from({ length: count }, (_, i) => i)

const packed = (texts: Iterable<string>): PackedTexts => {
  const result = new PackedTexts()
  for (const text of texts) result.push(text)
  return result
}

describe('packed texts', () => {
  it('returns each text of several pages, whatever it contains', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud800', '\udc00', '葉', 'Fern'))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 50 }), (some) => {
        const textAt = (i: number): string => some[i % some.length] ?? ''
        const texts = packed(numbers.map(textAt))
        expect(numbers.filter((i) => texts.at(i) !== textAt(i))).toEqual([])
      }),
      { numRuns: runs(8) },
    )
  })

  it('holds texts that are together longer than a string may be', () => {
    const long = 'x'.repeat(100_000)
    const texts = packed(numbers.map((i) => (i % 2 === 0 ? long : `${i}`)))
    expect(numbers.filter((i) => texts.at(i) !== (i % 2 === 0 ? long : `${i}`))).toEqual([])
  })
})
