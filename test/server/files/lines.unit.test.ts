import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { LineBuffer, lineDecoder } from '../../../src/server/files/lines.ts'
import { runs } from '../../support/runs.ts'

const read = (file: Buffer, sizes: readonly number[]): readonly string[] => {
  const [lines, decode] = [new LineBuffer(), lineDecoder()]
  const blocks: string[] = []
  for (let at = 0, turn = 0; at < file.length; turn++) {
    const length = file.copy(lines.chunk, 0, at, at + (sizes[turn % sizes.length] ?? 1))
    at += length
    blocks.push(decode(lines.fill(length)))
  }
  return [...blocks, decode(lines.rest)]
}

describe('the lines of a file', () => {
  it('are whole in each block, however the file is read', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })
    const text = fc
      .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', 'é葉\n')))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, sizes, (text, sizes) => {
        const file = Buffer.from(text)
        const blocks = read(file, sizes)
        const withoutMark = file.toString().replace(/^\uFEFF/, '')
        expect(blocks.join('')).toBe(withoutMark)
        expect(blocks.slice(0, -1).filter((block) => block !== '' && !block.endsWith('\n'))).toEqual([])
      }),
      { numRuns: runs(500) },
    )
  })

  it('may be longer than the buffer', () => {
    const file = Buffer.from(`a\n${'b'.repeat(1_000_000)}\n${'c'.repeat(600_000)}`)
    const blocks = read(file, [100_000])
    expect(blocks.join('')).toBe(file.toString())
    expect(blocks.at(-1)).toHaveLength(600_000)
  })

  it('are joined once, however many parts a line has', () => {
    const file = Buffer.from(`${'a'.repeat(3_000_000)}\n${'b'.repeat(1_000_000)}`)
    const concat = vi.spyOn(Buffer, 'concat')
    read(file, [50_000])
    const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0)
    concat.mockRestore()
    expect(copied).toBe(file.length)
  })

  it('lose a byte order mark at the beginning of the file, and keep any other', () => {
    expect(read(Buffer.from('\uFEFFabc\n'), [2]).join('')).toBe('abc\n')
    expect(read(Buffer.from('\uFEFFa\n\uFEFFb\n'), [5]).join('')).toBe('a\n\uFEFFb\n')
  })
})
