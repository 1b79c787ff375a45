import { describe, expect, it } from 'vitest'
import type { AssumptionId, AssumptionValue } from '../../src/core/assumptions/registry.ts'
import { minRequests, type Relation, relate, type Seen } from '../../src/verify/read/seen.ts'

const value = (found: AssumptionValue, scope: Pick<Seen, 'upTo' | 'evidence'> = {}): Seen => ({
  value: found,
  text: String(found),
  ...scope,
})
const words = (text: string, evidence?: string): Seen => ({ value: undefined, text, ...(evidence && { evidence }) })

const fromLists = { evidence: 'lists' }
const oneCaller = value('conflict', { evidence: 'one caller' })
const listsOfAny = words('lists accept any token, creates do not')
const twoKinds = 'application/xml, or application/yaml'
const limits = (length: number): AssumptionValue => `clamp:${length}` as AssumptionValue
const every = (nth: number): AssumptionValue => `every:${nth}` as AssumptionValue

describe('an earlier observation and a later one', () => {
  it.each<readonly [string, AssumptionId, Seen, Seen, Relation]>([
    [
      'no rate limit, and one that few requests hide',
      'rate.limit',
      value('none'),
      value(every(minRequests + 1)),
      'more',
    ],
    ['the reverse', 'rate.limit', value(every(minRequests + 1)), value('none'), 'less'],
    [
      'no rate limit, and one that every check shows',
      'rate.limit',
      value('none'),
      value(every(minRequests)),
      'changed',
    ],
    ['some rate limit, and which', 'rate.limit', words('some requests get 429'), value(every(50)), 'more'],
    ['two rate limits', 'rate.limit', value(every(50)), value(every(60)), 'changed'],
    ['no maximum twice', 'list.maxLimit', value('none', { upTo: 10 }), value('none', { upTo: 19 }), 'same'],
    [
      'no maximum, with twice the plants',
      'list.maxLimit',
      value('none', { upTo: 10 }),
      value('none', { upTo: 20 }),
      'more',
    ],
    ['a maximum that fewer plants hid', 'list.maxLimit', value('none', { upTo: 10 }), value(limits(10)), 'more'],
    ['a maximum that was not there', 'list.maxLimit', value('none', { upTo: 11 }), value(limits(10)), 'changed'],
    ['a maximum that fewer plants hide', 'list.maxLimit', value(limits(10)), value('none', { upTo: 10 }), 'less'],
    ['a maximum that is gone', 'list.maxLimit', value(limits(10)), value('none', { upTo: 11 }), 'changed'],
    ['a default limit that fewer plants hid', 'list.defaultLimit', value('none', { upTo: 20 }), value(20), 'more'],
    [
      'a value from a part of the inputs, then from all',
      'error.invalidStatus',
      value(400, { evidence: 'lists' }),
      value(400),
      'more',
    ],
    [
      'a value from all inputs, then from a part',
      'error.invalidStatus',
      value(400),
      value(400, { evidence: 'lists' }),
      'less',
    ],
    [
      'a value from a part of the inputs, twice',
      'error.invalidStatus',
      value(400, { evidence: 'lists' }),
      value(400, { evidence: 'lists' }),
      'same',
    ],
    ['no rate limit, and the one of the registry', 'rate.limit', value('none'), value('every-tenth'), 'changed'],
    ['the usual maximum that fewer plants hid', 'list.maxLimit', value('none', { upTo: 100 }), value('clamp'), 'more'],
    ['the usual maximum, not there', 'list.maxLimit', value('none', { upTo: 101 }), value('clamp'), 'changed'],
    ['conflicts of one caller, then of all', 'create.duplicateId', oneCaller, value('conflict-everywhere'), 'more'],
    ['conflicts of all, then of one caller', 'create.duplicateId', value('conflict-everywhere'), oneCaller, 'less'],
    ['conflicts of one caller, then none', 'create.duplicateId', oneCaller, value('accept'), 'changed'],
    [
      'conflicts of a caller, then of all, from whole checks',
      'create.duplicateId',
      value('conflict'),
      value('conflict-everywhere'),
      'changed',
    ],
    [
      'conflicts of all, then of a caller, from whole checks',
      'create.duplicateId',
      value('conflict-everywhere'),
      value('conflict'),
      'changed',
    ],
    [
      'conflicts of one caller, then of all, from the same evidence',
      'create.duplicateId',
      oneCaller,
      value('conflict-everywhere', { evidence: 'one caller' }),
      'changed',
    ],
    [
      'conflicts of all, then of one caller, from the same evidence',
      'create.duplicateId',
      value('conflict-everywhere', { evidence: 'one caller' }),
      oneCaller,
      'changed',
    ],
    ['tokens of lists and creates, then of lists', 'auth.tokens', listsOfAny, value('any', fromLists), 'less'],
    ['tokens of lists and creates, then others', 'auth.tokens', listsOfAny, value('listed', fromLists), 'changed'],
    ['other tokens, then any', 'auth.tokens', words('no list succeeds'), value('any', fromLists), 'changed'],
    ['two media types, and one of them', 'error.body', words(twoKinds), words('application/xml', 'lists'), 'less'],
    [
      'plants that no list shows, after different times',
      'create.visibility',
      words('no list shows it within 1 s'),
      words('no list shows it within 2 s'),
      'same',
    ],
    [
      'plants that no list shows, and plants that some lists show',
      'create.visibility',
      words('no list shows it within 1 s'),
      words('some lists show it'),
      'changed',
    ],
  ])('relate: %s', (_, id, was, is, relation) => {
    expect(relate(id, was, is)).toBe(relation)
  })

  it.each<readonly [string, string, Relation]>([
    ['after-ms:100', 'after-ms:299', 'same'],
    ['after-ms:299', 'after-ms:100', 'same'],
    ['after-ms:100', 'after-ms:300', 'changed'],
    ['after-ms:300', 'after-ms:100', 'changed'],
  ])('of a delay relate by their ratio: %s, %s', (was, is, relation) => {
    expect(relate('create.visibility', value(was as AssumptionValue), value(is as AssumptionValue))).toBe(relation)
  })
})
