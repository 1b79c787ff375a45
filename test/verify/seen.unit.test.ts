import { describe, expect, it } from 'vitest'
import type { Observed } from '../../src/core/assumptions/file.ts'
import type { AssumptionId, AssumptionValue } from '../../src/core/assumptions/registry.ts'
import { minRequests } from '../../src/verify/read/finding.ts'
import { type Relation, relate } from '../../src/verify/read/learned.ts'

const value = (found: AssumptionValue, scope: Pick<Observed, 'upTo' | 'evidence'> = {}): Observed => ({
  value: found,
  ...scope,
})
const words = (text: string, evidence?: string): Observed => ({ other: text, ...(evidence && { evidence }) })

const fromLists = { evidence: 'lists' }
const oneCaller = value('conflict', { evidence: 'one caller' })
const everywhere = (evidence?: string) => value('conflict-everywhere', evidence === undefined ? {} : { evidence })
const hidden = (seconds: number) => words(`no list shows a created plant within ${seconds} s`)
const listsOfAny = { ...words('POST /plants (the unknown token): 401, not 400'), nearest: 'any' as const }
const twoKinds = 'application/xml, or application/yaml'
const limits = (length: number): AssumptionValue => `clamp:${length}` as AssumptionValue
const every = (nth: number): AssumptionValue => `every:${nth}` as AssumptionValue

describe('an earlier observation and a later one', () => {
  it.each<readonly [string, AssumptionId, Observed, Observed, string]>([
    ['a rate limit that few requests hide', 'rate.limit', value('none'), value(every(minRequests + 1)), 'more, less'],
    ['one that every check shows', 'rate.limit', value('none'), value(every(minRequests)), 'changed'],
    ['some rate limit, and which', 'rate.limit', words('some requests get 429'), value(every(50)), 'more'],
    ['two rate limits', 'rate.limit', value(every(50)), value(every(60)), 'changed'],
    ['no maximum twice', 'list.maxLimit', value('none', { upTo: 10 }), value('none', { upTo: 19 }), 'same'],
    ['one with twice the plants', 'list.maxLimit', value('none', { upTo: 10 }), value('none', { upTo: 20 }), 'more'],
    ['one that fewer plants hide', 'list.maxLimit', value('none', { upTo: 10 }), value(limits(10)), 'more, less'],
    ['one that comes and goes', 'list.maxLimit', value('none', { upTo: 11 }), value(limits(10)), 'changed, changed'],
    ['a default limit that fewer plants hid', 'list.defaultLimit', value('none', { upTo: 20 }), value(20), 'more'],
    ['a part of the inputs, and all', 'error.invalidStatus', value(400, fromLists), value(400), 'more, less'],
    ['a part of the inputs, twice', 'error.invalidStatus', value(400, fromLists), value(400, fromLists), 'same'],
    ['no rate limit, and the one of the registry', 'rate.limit', value('none'), value('every-tenth'), 'changed'],
    ['the usual maximum that fewer plants hid', 'list.maxLimit', value('none', { upTo: 100 }), value('clamp'), 'more'],
    ['the usual maximum, not there', 'list.maxLimit', value('none', { upTo: 101 }), value('clamp'), 'changed'],
    ['conflicts of one caller, and of all', 'create.duplicateId', oneCaller, everywhere(), 'more, less'],
    ['conflicts of one caller, then none', 'create.duplicateId', oneCaller, value('accept'), 'changed'],
    ['both from whole checks', 'create.duplicateId', value('conflict'), everywhere(), 'changed, changed'],
    ['both from the same evidence', 'create.duplicateId', oneCaller, everywhere('one caller'), 'changed, changed'],
    ['tokens of lists and creates, then of lists', 'auth.tokens', listsOfAny, value('any', fromLists), 'less'],
    ['tokens of lists and creates, then others', 'auth.tokens', listsOfAny, value('listed', fromLists), 'changed'],
    ['other tokens, then any', 'auth.tokens', words('no list succeeds'), value('any', fromLists), 'changed'],
    ['two media types, and one of them', 'error.body', words(twoKinds), words('application/xml', 'lists'), 'less'],
    ['plants that no list shows', 'create.visibility', hidden(1), hidden(2), 'same'],
    ['plants that some lists show', 'create.visibility', hidden(1), words('some lists show it'), 'changed'],
  ])('relate: %s', (_, id, was, is, relations) => {
    const both = [relate(id, was, is), relate(id, is, was)]
    expect(both.slice(0, relations.split(', ').length).join(', ')).toBe(relations)
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
