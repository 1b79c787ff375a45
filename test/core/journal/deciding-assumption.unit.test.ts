import { describe, expect, it } from 'vitest'
import { type Assume, type AssumptionId, defaultAssumptions } from '../../../src/core/assumptions/registry.ts'
import type { ProblemType } from '../../../src/core/contract/problems.ts'
import { decidedBy } from '../../../src/core/journal/entry.ts'

const list: readonly AssumptionId[] = ['list.status', 'auth.tokens', 'rate.limit', 'json.contentType', 'list.order']
const conflict: readonly AssumptionId[] = ['create.duplicateId', 'create.duplicateStatus', 'auth.tokens', 'error.body']

describe('the assumption that decided', () => {
  it.each<
    [what: string, ids: readonly AssumptionId[], problem: ProblemType | undefined, assume: Assume, decided?: string]
  >([
    ['a list is its order', list, undefined, {}, 'list.order=added'],
    [
      'a list without limit is the default limit',
      ['list.defaultLimit', ...list],
      undefined,
      {},
      'list.defaultLimit=none',
    ],
    [
      'a list with another order and no limit is the order',
      ['list.defaultLimit', ...list],
      undefined,
      { 'list.order': 'newest' },
      'list.order=newest',
    ],
    ['an empty list is its status', ['list.status', 'auth.tokens'], undefined, {}, 'list.status=200'],
    ['a list of listed tokens is its order', list, undefined, { 'auth.tokens': 'listed' }, 'list.order=added'],
    ['a create is its status', ['create.status', 'create.duplicateId'], undefined, {}, 'create.status=201'],
    ['a conflict is what a duplicate means', conflict, 'duplicate-id', {}, 'create.duplicateId=conflict'],
    [
      'a conflict with another status is the status',
      conflict,
      'duplicate-id',
      { 'create.duplicateStatus': 400 },
      'create.duplicateStatus=400',
    ],
    [
      'an invalid plant is the rule',
      ['error.invalidStatus', 'create.required', 'error.body'],
      'invalid-plant',
      {},
      'create.required=name+id+tag',
    ],
    [
      'a body without JSON is its status',
      ['error.body', 'error.invalidStatus', 'auth.tokens'],
      'malformed-json',
      {},
      'error.invalidStatus=400',
    ],
    [
      'a limited rate is the limit',
      ['auth.tokens', 'rate.limit'],
      'rate-limited',
      { 'auth.tokens': 'listed', 'rate.limit': 'every:3' },
      'rate.limit=every:3',
    ],
    [
      'a path that the contract does not name is none',
      ['auth.scope', 'auth.tokens', 'error.pathBody', 'error.body'],
      'not-found',
      {},
    ],
    ['nothing, where the contract did, is none', [], undefined, {}],
  ])('of %s', (_, ids, problem, assume, decided) => {
    expect(decidedBy(ids, problem, { ...defaultAssumptions, ...assume })).toBe(decided)
  })
})
