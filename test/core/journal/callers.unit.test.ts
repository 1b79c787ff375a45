import { describe, expect, it } from 'vitest'
import { callerRegistry } from '../../../src/core/journal/callers.ts'
import type { JournalLine } from '../../../src/core/journal/entry.ts'
import type { LogCommand } from '../../../src/server/replication/machine.ts'
import { token } from '../../support/callers.ts'

describe('the pseudonym of a caller', () => {
  it('is the number of its first use', () => {
    const registry = callerRegistry()
    expect(['alice', 'bob', 'alice'].map(registry.pseudonymOf)).toEqual(['caller-1', 'caller-2', 'caller-1'])
    expect([registry.findPseudonym('bob'), registry.findPseudonym('carol')]).toEqual(['caller-2', undefined])
  })

  it('is the token itself, if that is a pseudonym which no other caller has', () => {
    const registry = callerRegistry()
    expect(registry.pseudonymOf('caller-2')).toBe('caller-2')
    expect(['a', 'b', 'caller-1'].map(registry.pseudonymOf)).toEqual(['caller-1', 'caller-3', 'caller-4'])
  })

  it('is the configured name, for the token and for the name', () => {
    const registry = callerRegistry({ callers: { alice: 'token-of-alice', 'caller-1': 'short' } })
    expect(registry.configured).toEqual(['alice', 'caller-1'])
    expect([registry.callerOf(token('token-of-alice')), registry.callerOf(token('other'))]).toEqual(['alice', 'other'])
    expect(['token-of-alice', 'alice', 'other'].map(registry.pseudonymOf)).toEqual(['alice', 'alice', 'caller-2'])
  })

  it('is one for all keys that the store does not distinguish', () => {
    const registry = callerRegistry({ callers: { alice: 'TOKEN' }, keyOf: (caller) => caller.toLowerCase() })
    expect(['Bob', 'bob', 'token', 'ALICE'].map(registry.pseudonymOf)).toEqual([
      'caller-1',
      'caller-1',
      'alice',
      'alice',
    ])
    expect(registry.findPseudonym('BOB')).toBe('caller-1')
  })

  it('is shared after 10,000 callers', () => {
    const registry = callerRegistry()
    const pseudonyms = Array.from({ length: 10_001 }, (_, index) => registry.pseudonymOf(`token ${index}`))
    expect(pseudonyms.slice(-2)).toEqual(['caller-10000', 'caller-other'])
    expect(registry.pseudonymOf('token 0')).toBe('caller-1')
  })
})

describe('the secrets of callers', () => {
  it('appear in no message about callers that are invalid', () => {
    const messageFor = (callers: Record<string, string>): string => {
      try {
        callerRegistry({ callers })
        return 'valid'
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(messageFor({ alice: 'not a token' })).toBe(
      'The token of the caller "alice" is not a bearer token: letters, digits and -._~+/ only, then any number of =.',
    )
    expect(messageFor({ 'not a name': 'token' })).toMatch('The name of the caller "not a name" is not a bearer token')
    expect(messageFor({ alice: 7 as never })).toMatch('The token of the caller "alice" is not a bearer token')
    expect(messageFor({ alice: 'token', bob: 'token' })).toBe('The callers "alice" and "bob" have the same token.')
  })
})

describe('the compiler refuses a token', () => {
  const secret = token('token-of-alice')

  it('where people or a store read the name of a caller', () => {
    // @ts-expect-error It is no pseudonym.
    const entry: Pick<JournalLine, 'caller'> = { caller: secret }
    // @ts-expect-error It is no key.
    const command: LogCommand = { type: 'name', callers: [secret] }
    expect([entry, command]).toHaveLength(2)
  })
})
