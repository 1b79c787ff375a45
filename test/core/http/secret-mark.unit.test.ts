import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { marked, markOf } from '../../../src/core/http/secret-mark.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
const find = (text: string, secret: string) => {
  let digests = 0
  const count = (part: string): string => {
    digests++
    return digest(part)
  }
  const found = [...marked(text, markOf(secret, digest(secret)), count, '…')].map(({ start }) => start)
  return { found, digests }
}

describe('a secret that is known by its mark', () => {
  it('is found wherever it is, again and again, and nothing else is', () => {
    const secrets = fc.string({ unit: fc.constantFrom('a', 'b', '+', '/', '🌱'), minLength: 4, maxLength: 12 })
    fc.assert(
      fc.property(secrets, fc.array(fc.string({ maxLength: 9 }), { maxLength: 5 }), (secret, parts) => {
        const text = parts.join(secret)
        const expected: number[] = []
        const joined = text.replaceAll(' ', '+')
        for (let at = joined.indexOf(secret); at !== -1; at = joined.indexOf(secret, at + secret.length))
          expected.push(at)
        expect(find(text, secret).found).toEqual(expected)
      }),
    )
  })

  it('costs one digest for each time that it is there, however often it overlaps itself', () => {
    const { found, digests } = find('a'.repeat(100_000), 'a'.repeat(1_000))
    expect([found.length, digests]).toEqual([100, 100])
  })

  it('is not searched in a text that was made to match its checksum everywhere', () => {
    const target = markOf('b'.repeat(16), '').checksum
    const colliding = Array.from({ length: 1_000_000 }, (_, i) => `secret-of-${String(i).padStart(6, '0')}`).find(
      (secret) => markOf(secret, '').checksum === target,
    )
    expect(() => find('b'.repeat(100_000), colliding ?? '')).toThrow('matches too often')
  })
})
